// The timeline as a picture file: it looks like the page, and needs nothing of it.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { SITE, SIZES, launch, serve, started, visit } from "./harness.mjs";

let browser, server;
before(async () => ([browser, server] = await Promise.all([launch(), serve(SITE)])));
after(() => Promise.all([browser?.close(), server?.close()]));

/** Saves a picture by the menu and gives its bytes. */
async function saved(page, kind) {
  await page.getByRole("button", { name: "Export", exact: true }).click();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: `Save picture (${kind})`, exact: true }).click(),
  ]);
  return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
}

/** The part of the pixels in which two pictures differ clearly. */
function difference(page, one, other) {
  return page.evaluate(async (sources) => {
    const images = await Promise.all(sources.map(async (source) => {
      const image = new Image();
      image.src = source;
      await image.decode();
      return image;
    }));
    const [width, height] = [images[0].naturalWidth, images[0].naturalHeight];
    const pixels = images.map((image) => {
      const canvas = new OffscreenCanvas(width, height).getContext("2d");
      canvas.drawImage(image, 0, 0);
      return canvas.getImageData(0, 0, width, height).data;
    });
    let differing = 0;
    for (let at = 0; at < pixels[0].length; at += 4) {
      if ([0, 1, 2].some((channel) => Math.abs(pixels[0][at + channel] - pixels[1][at + channel]) > 64)) differing++;
    }
    return differing / (width * height);
  }, [one, other]);
}

const data = (type, bytes) => `data:${type};base64,${bytes.toString("base64")}`;

for (const [name, size, theme, fragment] of [
  ["a duplicate, wide and light", SIZES.wide, "light", ""],
  ["a shared run, wide and dark", SIZES.wide, "dark", "#v1;story=both-at-once;bet=2"],
  ["a duplicate, narrow", SIZES.narrow, "light", ""],
]) {
  test(`a picture looks like the page: ${name}`, () =>
    visit(browser, server.url + fragment, { size, theme, reducedMotion: "reduce" }, async (page) => {
      await started(page);
      await page.locator("body").press("End");
      const { name: file, bytes } = await saved(page, "SVG");
      assert.match(file, /^[a-z-]+\.svg$/);
      const text = bytes.toString();
      assert.doesNotMatch(text, /class=|style=|var\(|currentcolor/i, "attributes only");
      assert.match(text, /<title>[^<]{10,}<\/title><desc>[^<]{100,}<\/desc>/);
      // What buttons of the page cover is the page's own matter.
      const shown = await page.locator(".tl, .vl").evaluate((timeline) => {
        timeline.querySelectorAll(".eye, .fold-job").forEach((button) => button.remove());
        const { x, y, width } = timeline.getBoundingClientRect();
        return { x, y, width, scrollHeight: timeline.scrollHeight, bottom: timeline.querySelector(".tl-rows")?.getBoundingClientRect().bottom };
      });
      // The title and the sentence stand above the timeline, of which the page's own picture is made.
      const [, width, whole] = /viewBox="0 0 (\d+) (\d+)"/.exec(text);
      const height = Math.ceil(shown.bottom ? shown.bottom - shown.y : shown.scrollHeight);
      const head = Number(whole) - height;
      const said = await page.locator(".say").innerText();
      const above = [...text.matchAll(/<text x="16" y="([\d.]+)"[^>]*>([^<]*)</g)].filter(([, y]) => Number(y) < head).map(([, , line]) => line);
      assert.equal(above.slice(1).join(" "), said);
      assert.match(await page.title(), new RegExp(`: ${above[0]}$`));
      const timeline = Buffer.from(text.replace(/viewBox="[^"]*" width="\d+" height="\d+"/, `viewBox="0 ${head} ${width} ${height}" width="${width}" height="${height}"`));
      const seen = Math.min(Number(height), (size.height - shown.y) | 0, shown.bottom ? shown.bottom - shown.y : 200);
      const page_png = await page.screenshot({ clip: { x: shown.x, y: shown.y, width: shown.width, height: Math.floor(seen) } });
      const differing = await difference(page, data("image/png", page_png), data("image/svg+xml", timeline));
      assert.ok(differing < 0.02, `${(differing * 100).toFixed(2)} % of the pixels differ`);
      // And the measure can fail: an empty sheet of the ground's colour differs more.
      const empty = Buffer.from(timeline.toString().replace(/(<desc>[^]*?<\/desc><rect [^>]*>)[^]*/, "$1</svg>"));
      assert.ok(await difference(page, data("image/png", page_png), data("image/svg+xml", empty)) > 2 * differing);
    }));
}

test("what the page writes apart stands apart in the picture: a phone's list", () =>
  visit(browser, server.url + "#v1;story=a-million", { size: SIZES.narrow, reducedMotion: "reduce" }, async (page) => {
    await started(page);
    await page.locator("body").press("End");
    await page.getByText(/ of up to /).first().waitFor();
    const { bytes } = await saved(page, "SVG");
    const texts = [...bytes.toString().matchAll(/<text x="([\d.]+)"[^>]* textLength="([\d.]+)"[^>]*>([^<]*)</g)];
    const at = texts.findIndex(([, , , text]) => text.startsWith("of up to "));
    assert.ok(at > 0);
    const [[, x, length, before], [, next]] = texts.slice(at - 1);
    assert.match(before, /^wait /);
    const gap = Number(next) - Number(x) - Number(length);
    assert.ok(gap > 2 && gap < 8, `${gap} pixels`);
  }));

test("a picture as PNG has two pixels for each of the page", () =>
  visit(browser, server.url, {}, async (page) => {
    await started(page);
    const { name, bytes } = await saved(page, "PNG");
    assert.match(name, /\.png$/);
    assert.equal(bytes.subarray(1, 4).toString(), "PNG");
    const width = await page.locator(".tl").evaluate((timeline) => timeline.clientWidth);
    assert.equal(bytes.readUInt32BE(16), 2 * width);
    await page.getByText(`${name} saved.`).waitFor();
  }));

test("where the part that draws pictures does not load, the page says so", () =>
  visit(
    browser,
    server.url,
    { before: (page) => page.route("**/picture.js", (route) => route.abort()), expected: [/picture\.js/, /ERR_FAILED/] },
    async (page) => {
      await started(page);
      await page.getByRole("button", { name: "Export", exact: true }).click();
      await page.getByRole("button", { name: "Save picture (SVG)", exact: true }).click();
      await page.getByText(/There is no picture of it/).waitFor();
    },
  ));
