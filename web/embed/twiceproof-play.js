// <twiceproof-play story="lost-reply"></twiceproof-play>: puts a story into any page, as a frame of reserved height that
// loads when it comes into view. What stands inside the element is shown until then, and kept if it cannot load.
// Documentation of attributes, events and methods: the site's page about embedding.
(() => {
  if (customElements.get('twiceproof-play')) return;
  const base = new URL('./', document.currentScript.src).href;
  const own = ['height', 'load', 'theme'];
  const reserved = (width) => (width >= 720 ? 420 : width >= 480 ? 460 : 560);
  const sameOrigin = new URL(base).origin;

  class TwiceproofPlay extends HTMLElement {
    connectedCallback() {
      if (this.root) return;
      this.root = this.attachShadow({ mode: 'open' });
      this.box = document.createElement('div');
      const until = document.createElement('div');
      const slot = document.createElement('slot');
      until.append(slot);
      this.box.append(until);
      this.root.append(this.box);
      Object.assign(this.style, { display: 'block' });
      Object.assign(this.box.style, { position: 'relative', overflow: 'hidden', borderRadius: '10px', height: this.height() + 'px' });
      new MutationObserver(() => this.changed()).observe(this, { attributes: true });
      addEventListener('message', (event) => this.take(event));
      const load = this.getAttribute('load');
      if (load === 'eager') this.start();
      else if (load === 'click') {
        this.addEventListener('click', (event) => { if (!this.frame) { event.preventDefault(); this.start(); } });
        // If nothing stands inside there is still something to press. What stands inside may be parsed after this.
        const button = document.createElement('button');
        button.textContent = 'Load the story';
        Object.assign(button.style, { position: 'absolute', inset: 0, margin: 'auto', width: 'max-content', height: 'max-content', padding: '.9em 1.2em', font: 'inherit' });
        until.append(button);
        const look = () => { button.hidden = slot.assignedNodes().some((node) => node.nodeType === 1 || node.data.trim()); };
        slot.addEventListener('slotchange', look);
        look();
      } else {
        const seen = new IntersectionObserver((entries) => {
          if (entries.some((entry) => entry.isIntersecting)) { seen.disconnect(); this.start(); }
        }, { rootMargin: '200px' });
        seen.observe(this);
      }
    }

    height() {
      const mini = this.getAttribute('controls') === 'mini' ? 60 : 0;
      const table = (this.getAttribute('compare') ?? (this.getAttribute('story') === 'a-million' ? '1' : '0')) === '1' ? 280 : 0;
      return Number(this.getAttribute('height')) || reserved(this.clientWidth || 720) - mini + table;
    }

    /** What the attributes ask for, but for the theme, which changes without loading anew. */
    asked() {
      const query = new URLSearchParams();
      for (const { name, value } of this.attributes) {
        if (!own.includes(name) && !/^(class|id|style|title|slot|data-.*|aria-.*)$/.test(name)) query.set(name, value);
      }
      return query.toString();
    }

    changed() {
      this.box.style.height = this.height() + 'px';
      if (!this.frame) return;
      const theme = this.getAttribute('theme') ?? 'auto';
      if (theme !== this.shown) this.theme(this.shown = theme);
      if (this.asked() === this.query) return;
      // Another frame, because another address in this one would be an entry in the history of the page.
      this.frame.remove();
      this.frame = this.ready = undefined;
      this.start();
    }

    start() {
      if (this.frame) return;
      this.query = this.asked();
      this.shown = this.getAttribute('theme') ?? 'auto';
      const frame = this.frame = document.createElement('iframe');
      frame.title = this.getAttribute('title') || 'Twiceproof: a story of jobs that run twice';
      frame.allow = 'clipboard-write';
      Object.assign(frame.style, { position: 'absolute', inset: 0, width: '100%', height: '100%', border: 0, colorScheme: 'normal', visibility: 'hidden' });
      frame.addEventListener('load', () => this.ping(20));
      frame.src = base + '?embed&theme=' + encodeURIComponent(this.shown) + '&' + this.query;
      this.box.append(frame);
    }

    ping(tries) {
      if (this.ready || !tries) return;
      this.post('ping');
      setTimeout(() => this.ping(tries - 1), 100 + (20 - tries) * 20);
    }

    post(type, detail = {}) {
      this.frame?.contentWindow?.postMessage({ ns: 'twiceproof', v: 1, type, detail }, sameOrigin === 'null' ? '*' : sameOrigin);
    }

    take({ source, data }) {
      if (!this.frame || source !== this.frame.contentWindow || data?.ns !== 'twiceproof' || data.v !== 1) return;
      if (data.type === 'ready') {
        if (this.ready) return;
        this.ready = true;
        this.frame.style.visibility = '';
        // Who pressed the button goes on in the story.
        if (this.root.activeElement?.localName === 'button') this.frame.focus();
        this.box.firstChild.style.display = 'none';
      }
      this.dispatchEvent(new CustomEvent('twiceproof:' + data.type, { bubbles: true, composed: true, detail: data.detail }));
    }

    play() { this.post('play'); }
    pause() { this.post('pause'); }
    seek(index) { this.post('seek', { index }); }
    theme(theme) { this.post('theme', { theme }); }
  }
  customElements.define('twiceproof-play', TwiceproofPlay);
})();
