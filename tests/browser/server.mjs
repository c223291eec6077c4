// Serves a folder on this machine the way a plain static host does, at any prefix, so that tests can put one site at
// several paths and several origins. It can also play a host that is slow, incomplete, or sends other headers.
import { createServer } from "node:http";
import { readFile, stat } from "node:fs/promises";
import { extname, join, normalize, sep } from "node:path";

const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".wasm": "application/wasm",
  ".svg": "image/svg+xml",
  ".png": "image/png",
};

/**
 * Starts a server for `folder`. Returns `{ origin, url, requests, close }`, `url` being the folder's own address.
 *
 * - `prefix`: where the folder stands, beginning and ending in a slash.
 * - `headers`: sent with every answer, for example `{ "access-control-allow-origin": "*" }`.
 * - `pages`: documents that are in no file, by path: `{ "/host.html": "<!doctype html>…" }`.
 * - `answer(path)`: may return `{ status, body, delayMs }` in place of the file, or nothing.
 */
export async function serve(folder, { prefix = "/", headers = {}, pages = {}, answer = () => undefined } = {}) {
  const requests = [];
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://localhost").pathname);
    requests.push(path);
    const { status = 200, type = "text/plain; charset=utf-8", body = "", delayMs = 0, location } = {
      ...(path in pages ? { type: TYPES[".html"], body: pages[path] } : await find(folder, prefix, path)),
      ...answer(path),
    };
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    response.writeHead(status, { "content-type": type, ...(location && { location }), ...headers });
    response.end(body);
  });
  await new Promise((resolve, reject) => server.once("error", reject).listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${server.address().port}`;
  const close = () => new Promise((resolve) => (server.close(resolve), server.closeAllConnections()));
  return { origin, url: origin + prefix, requests, close };
}

async function find(folder, prefix, path) {
  const missing = { status: 404, body: `nothing at ${path}` };
  if (!path.startsWith(prefix)) return missing;
  const file = normalize(join(folder, path.slice(prefix.length)));
  if (file !== normalize(folder) && !file.startsWith(normalize(folder + sep))) return missing;
  const found = await stat(file).catch(() => undefined);
  if (found === undefined) return missing;
  if (found.isDirectory()) {
    if (!path.endsWith("/")) return { status: 301, location: `${path}/` };
    const index = join(file, "index.html");
    return readFile(index).then((body) => ({ type: TYPES[".html"], body }), () => missing);
  }
  return { type: TYPES[extname(file)] ?? "application/octet-stream", body: await readFile(file) };
}
