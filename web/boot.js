// Starts the app. It is a file of its own because the page's policy allows no inline script; its name never changes,
// and the build writes the hashed names it needs into its own script tag.
const tag = document.querySelector('script[data-js]');
const app = document.getElementById('app');
const status = document.getElementById('boot-status');

const at = (path) => new URL(path, document.baseURI).href;

function say(text) {
  if (status) status.textContent = text;
}

function fail(what, error) {
  app.dataset.boot = 'failed';
  say(`The playground could not start: ${what}. The text above tells the same story.`);
  console.warn(`twiceproof: ${what}`, error);
  window.dispatchEvent(new CustomEvent('twiceproof:boot-failed', { detail: { what } }));
  if (window.parent !== window) {
    const code = what.startsWith('this browser') ? 'no-wasm' : 'start-failed';
    window.parent.postMessage({ ns: 'twiceproof', v: 1, type: 'error', detail: { code } }, '*');
  }
}

// What reads expressions, for whoever in the app wants it. Each call makes an instance of its own, because one that ran out
// of memory is of no use any more: to the browser, another query is another module.
let instances = 0;
globalThis.twiceproofExpressions = async () => {
  const name = tag.dataset.expressions ?? './twiceproof-cel.js';
  const module = await import(at(instances++ ? `${name}?${instances}` : name));
  await module.default();
  return module;
};

// What makes a picture file of the timeline, loaded when the first one is wanted.
globalThis.twiceproofPicture = async (...what) => (await import(at('./picture.js'))).picture(...what);

async function start() {
  const began = performance.now();
  say('Loading the playground…');
  if (typeof WebAssembly !== 'object') {
    fail('this browser does not run WebAssembly here', null);
    return;
  }
  try {
    const module = await import(at(tag.dataset.js));
    await module.default({ module_or_path: at(tag.dataset.wasm) });
    app.dataset.boot = 'started';
    app.dataset.bootMs = String(Math.round(performance.now() - began));
  } catch (error) {
    fail(error instanceof WebAssembly.CompileError ? 'the page may not compile WebAssembly' : 'its program did not load or stopped', error);
  }
}

// The program has a bug and stopped: what is drawn does not answer any more, and the reader has to know.
window.addEventListener('error', ({ error }) => {
  if (typeof WebAssembly !== 'object' || !(error instanceof WebAssembly.RuntimeError) || document.querySelector('.broken')) return;
  const note = document.createElement('p');
  note.className = 'broken';
  note.setAttribute('role', 'alert');
  note.textContent = 'The playground has stopped, by a fault of its own. Reload the page to go on; the address says where you were.';
  document.body.prepend(note);
});

start();
