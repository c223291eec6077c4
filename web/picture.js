// The timeline as a picture of its own: what is drawn is read off the page, so there is no second way to draw it. The SVG has
// attributes only, no classes and no styles, because that is what editors, readers of feeds and image services keep.

const SVG = 'http://www.w3.org/2000/svg';
const SHAPES = new Set(['svg', 'g', 'path', 'rect', 'circle', 'line', 'polygon', 'text', 'tspan']);
const GEOMETRY = ['d', 'x', 'y', 'width', 'height', 'rx', 'cx', 'cy', 'r', 'x1', 'y1', 'x2', 'y2', 'points', 'transform', 'viewBox'];
const PAINT = ['fill', 'fill-opacity', 'stroke', 'stroke-width', 'stroke-dasharray', 'stroke-linecap', 'stroke-linejoin', 'opacity'];
const TYPE = ['font-size', 'font-weight', 'text-anchor'];
/** What a property is if it is not given. */
const DEFAULTS = {
  'fill-opacity': '1', 'stroke': 'none', 'stroke-dasharray': 'none', 'stroke-linecap': 'butt', 'stroke-linejoin': 'miter',
  'opacity': '1', 'font-weight': '400', 'text-anchor': 'start',
};
/** A picture is read where this page's fonts may not be, so each text is held to the width that it has here. */
const SANS = 'Helvetica, Arial, sans-serif';
const MONO = 'Menlo, Consolas, monospace';
/** Device pixels to a pixel of the page, in a PNG. */
const PNG_SCALE = 2;

/** Draws `root` as it stands and gives the picture's file: `kind` is `svg` or `png`. */
export async function picture(root, title, description, kind) {
  const { text, width, height } = draw(root, title, description);
  const svg = new Blob([text], { type: 'image/svg+xml' });
  return kind === 'png' ? await png(text, width, height) : svg;
}

function draw(root, title, description) {
  const scrolled = root.scrollTop;
  // The axis sticks to the top of the view, and belongs to the top of the picture.
  root.scrollTop = 0;
  try {
    const { left, top } = root.getBoundingClientRect();
    // Without the room that is left below the last row.
    const end = root.querySelector('.tl-rows')?.getBoundingClientRect().bottom ?? top + root.scrollHeight;
    const [width, height] = [root.clientWidth, Math.max(end - top, 1)].map(Math.ceil);
    const head = heading(root, title, width);
    const whole = head.height + height;
    const svg = element('svg', { viewBox: `0 0 ${width} ${whole}`, width, height: whole, role: 'img', 'font-family': SANS });
    svg.append(element('title', {}, title), element('desc', {}, description));
    const clip = { left: 0, top: 0, right: width, bottom: whole };
    ground(svg, getComputedStyle(root), clip, clip);
    svg.append(...head.texts);
    paint(svg, root, { left, top: top - head.height }, { ...clip, top: head.height }, true);
    return { text: new XMLSerializer().serializeToString(svg), width, height: whole };
  } finally {
    root.scrollTop = scrolled;
  }
}

/** What a picture is called, and the sentence that stands above the timeline now: in an article nothing else says it. */
function heading(root, title, width) {
  const colour = getComputedStyle(root).color;
  const texts = [];
  const ruler = document.createElement('canvas').getContext('2d');
  let height = 10;
  for (const [text, size, weight, step] of [[title, 16, 600, 24], [root.closest('.stage, .tw')?.querySelector('.say')?.textContent ?? '', 15, 400, 21]]) {
    ruler.font = `${weight} ${size}px ${SANS}`;
    const lines = [''];
    for (const word of text.split(/\s+/)) {
      const longer = `${lines.at(-1)} ${word}`.trim();
      if (lines.at(-1) && ruler.measureText(longer).width > width - 32) lines.push(word);
      else lines[lines.length - 1] = longer;
    }
    for (const line of lines.filter(Boolean)) {
      height += step;
      texts.push(element('text', { x: 16, y: height - 6, fill: colour, 'font-size': size, 'font-weight': weight }, line));
    }
  }
  return { texts, height: height + 8 };
}

function element(name, attributes, text) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  if (text !== undefined) made.textContent = text;
  return made;
}

const round = (number) => Math.round(number * 100) / 100;

/** A rectangle of the page, in the picture. */
function placed({ left, top, right, bottom }, origin) {
  return { left: left - origin.left, top: top - origin.top, right: right - origin.left, bottom: bottom - origin.top };
}

/** What is left of a box in a clip, or null. */
function within(box, clip) {
  const cut = {
    left: Math.max(box.left, clip.left), top: Math.max(box.top, clip.top),
    right: Math.min(box.right, clip.right), bottom: Math.min(box.bottom, clip.bottom),
  };
  return cut.right > cut.left && cut.bottom > cut.top ? cut : null;
}

const sides = (box) => ({ x: round(box.left), y: round(box.top), width: round(box.right - box.left), height: round(box.bottom - box.top) });

const isSeen = (colour) => !/^(transparent|rgba\(.*,\s*0\))$/.test(colour);

/** Paints an element of the page and all in it into `svg`. */
function paint(svg, node, origin, clip, isRoot) {
  const style = getComputedStyle(node);
  if (style.display === 'none' || style.visibility === 'hidden' || style.opacity === '0') return;
  // A button without words is for the page: folds, the eye.
  if (node.localName === 'button' && !node.textContent.trim()) return;
  const box = placed(node.getBoundingClientRect(), origin);
  if (node.localName === 'svg') {
    drawing(svg, node, box, clip);
    return;
  }
  ground(svg, style, isRoot ? clip : box, clip);
  for (const which of ['::before', '::after']) pseudo(svg, getComputedStyle(node, which), box, clip);
  const inner = !isRoot && style.overflowX !== 'visible' ? within(box, clip) : clip;
  if (!inner) return;
  for (const child of node.childNodes) {
    if (child.nodeType === Node.ELEMENT_NODE) paint(svg, child, origin, inner, false);
    else if (child.nodeType === Node.TEXT_NODE) words(svg, child, style, origin, inner);
  }
}

/** The background and the borders of a box. */
function ground(svg, style, box, clip) {
  const polygon = /^polygon\((.*)\)$/.exec(style.clipPath);
  if (isSeen(style.backgroundColor)) {
    if (polygon) {
      const points = polygon[1].split(',').map((point) => {
        const [x, y] = point.trim().split(/\s+/).map(Number.parseFloat);
        return `${round(box.left + x)},${round(box.top + y)}`;
      });
      if (within(box, clip)) svg.append(element('polygon', { points: points.join(' '), fill: style.backgroundColor }));
    } else {
      filled(svg, box, clip, style.backgroundColor, Number.parseFloat(style.borderTopLeftRadius));
    }
  }
  for (const side of ['Top', 'Bottom', 'Left', 'Right']) {
    const width = Number.parseFloat(style[`border${side}Width`]);
    const colour = style[`border${side}Color`];
    if (!(width > 0) || style[`border${side}Style`] === 'none' || !isSeen(colour)) continue;
    const line = { ...box };
    if (side === 'Top') line.bottom = box.top + width;
    if (side === 'Bottom') line.top = box.bottom - width;
    if (side === 'Left') line.right = box.left + width;
    if (side === 'Right') line.left = box.right - width;
    filled(svg, line, clip, colour, 0);
  }
}

function filled(svg, box, clip, fill, radius) {
  const cut = within(box, clip);
  if (cut) svg.append(element('rect', { ...sides(cut), fill, ...(radius > 0 && { rx: radius }) }));
}

/** The lines between rows are boxes that only the style sheet knows. */
function pseudo(svg, style, box, clip) {
  if (style.content !== '""' || style.position !== 'absolute') return;
  const [left, top, width, height] = ['left', 'top', 'width', 'height'].map((name) => Number.parseFloat(style[name]));
  const line = { left: box.left + left, top: box.top + top, right: box.left + left + width, bottom: box.top + top + height };
  ground(svg, style, line, clip);
}

/** A text of the page: each of its lines, from the baseline that its font is likely to have. */
function words(svg, node, style, origin, clip) {
  if (!node.data.trim()) return;
  const range = document.createRange();
  // A space at an end is what keeps it from its neighbour, and is not written: the text begins where its first letter does.
  range.setStart(node, node.data.length - node.data.trimStart().length);
  range.setEnd(node, node.data.trimEnd().length);
  const [first] = range.getClientRects();
  const box = first && placed(first, origin);
  if (!box || !within(box, clip)) return;
  const size = Number.parseFloat(style.fontSize);
  svg.append(element('text', {
    x: round(box.left),
    y: round((box.top + box.bottom) / 2 + size * 0.35),
    fill: style.color,
    'font-size': size,
    ...(style.fontWeight !== '400' && { 'font-weight': style.fontWeight }),
    ...(/mono/i.test(style.fontFamily) && { 'font-family': MONO }),
    textLength: round(box.right - box.left),
    lengthAdjust: 'spacingAndGlyphs',
  }, node.data.replace(/\s+/g, ' ').trim()));
}

/** A drawing of the page, cut where the page cuts it. */
function drawing(svg, node, box, clip) {
  if (!node.childElementCount) return;
  const shown = getComputedStyle(node).overflowX === 'visible' ? clip : within(box, clip);
  if (!shown) return;
  const copy = copied(node);
  if (!copy) return;
  for (const [name, value] of Object.entries(sides(box))) copy.setAttribute(name, value);
  copy.setAttribute('overflow', 'visible');
  const cut = sides(shown);
  // A window of the page's own measure in which the drawing stands where it stood.
  const window = element('svg', { ...cut, viewBox: `${cut.x} ${cut.y} ${cut.width} ${cut.height}`, overflow: 'hidden' });
  window.append(copy);
  svg.append(window);
}

/** A shape with what the style sheet says of it as attributes, or null if nothing of it is seen. */
function copied(node) {
  if (!SHAPES.has(node.localName)) return null;
  const style = getComputedStyle(node);
  if (style.display === 'none' || style.visibility === 'hidden') return null;
  const isGroup = node.localName === 'g' || node.localName === 'svg';
  if (!isGroup && style.fill === 'none' && style.stroke === 'none') return null;
  const copy = document.createElementNS(SVG, node.localName);
  for (const name of GEOMETRY) {
    if (node.hasAttribute(name)) copy.setAttribute(name, node.getAttribute(name));
  }
  const given = isGroup ? ['opacity'] : node.localName.startsWith('t') ? [...PAINT, ...TYPE] : PAINT;
  for (const name of given) {
    const value = style.getPropertyValue(name);
    const idle = style.stroke === 'none' && name.startsWith('stroke-');
    if (value && value !== DEFAULTS[name] && !idle) copy.setAttribute(name, value.replace(/px$/, ''));
  }
  if (node.localName === 'text') {
    copy.setAttribute('textLength', round(node.getComputedTextLength()));
    copy.setAttribute('lengthAdjust', 'spacingAndGlyphs');
  }
  for (const child of node.childNodes) {
    const part = child.nodeType === Node.ELEMENT_NODE ? copied(child) : child.nodeType === Node.TEXT_NODE ? child.cloneNode() : null;
    if (part) copy.append(part);
  }
  return isGroup && !copy.childElementCount ? null : copy;
}

async function png(text, width, height) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [width * PNG_SCALE, height * PNG_SCALE];
  canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done, failed) => {
    canvas.toBlob((blob) => (blob ? done(blob) : failed(new Error('the picture is too large for this browser'))), 'image/png');
  });
}
