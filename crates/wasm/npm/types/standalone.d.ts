/** The same as `twiceproof`, in one file for a plain `<script type="module">`. */
export * from "./index.js";
