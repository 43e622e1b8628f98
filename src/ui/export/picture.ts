/**
 * A panel of the page as a drawing that stands alone: boxes, text and drawings where the browser has laid them out, every colour as it is computed.
 * Built by the DOM and written by its serialiser, so that text is text whatever is in it; no scripts, styles, links or foreign objects.
 */

const SVG = "http://www.w3.org/2000/svg";
const MARGIN = 16;
const CAPTION_SIZE = 13;
/** Controls, and what is only there to be heard. What a choice or the dial is set to is written in words. */
const LEFT_OUT = ".vh, .skip, input, textarea, script, style, .card-head button, .board-controls .btn:not([aria-pressed=\"true\"]), .segments, .board-sentence .btn, .focus-head button, [hidden]";
/** Shapes that are copied; anything else inside a drawing is not. */
const SHAPES: ReadonlySet<string> = new Set(["svg", "g", "path", "rect", "circle", "ellipse", "line", "polyline", "polygon", "text", "tspan", "defs", "pattern", "clippath"]);
const GEOMETRY: readonly string[] = [
  "x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "r", "rx", "ry", "d", "points", "width", "height", "viewBox", "transform", "dx", "dy", "patternUnits", "patternTransform", "preserveAspectRatio", "id",
];
const PAINT: readonly string[] = [
  "fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "stroke-linejoin", "stroke-opacity", "opacity", "font-family", "font-size", "font-weight", "text-anchor",
];

export interface Picture {
  readonly svg: string;
  readonly width: number;
  readonly height: number;
}

interface Canvas {
  readonly root: SVGElement;
  readonly origin: DOMRect;
  /** What scrolled out of sight is drawn all the same: what stands below it moves down. */
  readonly moved: { readonly below: number; readonly by: number }[];
  bottom: number;
  right: number;
}

function make(parent: Element, name: string, attributes: Readonly<Record<string, string | number>>): SVGElement {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, typeof value === "number" ? String(Math.round(value * 100) / 100) : value);
  parent.append(element);
  return element;
}

const isSeen = (style: CSSStyleDeclaration): boolean => style.display !== "none" && style.visibility !== "hidden" && style.opacity !== "0";
const isPainted = (color: string): boolean => color !== "transparent" && !/,\s*0\)$|\/\s*0\)$/.test(color);

/** @throws Error where the panel is not on screen */
export function pictureOf(panel: HTMLElement, caption: readonly string[]): Picture {
  const origin = panel.getBoundingClientRect();
  if (origin.width === 0 || origin.height === 0) throw new Error("this part of the page is not on screen: show it first");
  const root = document.createElementNS(SVG, "svg");
  const canvas: Canvas = { root, origin, moved: [], bottom: origin.height, right: origin.width };
  const style = getComputedStyle(panel);
  const ground = make(root, "rect", { width: "100%", height: "100%", fill: isPainted(style.backgroundColor) ? style.backgroundColor : getComputedStyle(document.body).backgroundColor });
  copyPatterns(root);
  const body = make(root, "g", { transform: `translate(${MARGIN} ${MARGIN})` });
  for (const child of panel.childNodes) draw(child, body, canvas);
  const width = canvas.right + 2 * MARGIN;
  let y = canvas.bottom + 2 * MARGIN;
  for (const line of caption.flatMap((text) => wrapped(text, (canvas.right / CAPTION_SIZE) * 1.9))) {
    make(root, "text", { x: MARGIN, y: (y += CAPTION_SIZE * 1.5), fill: style.color, "font-family": style.fontFamily, "font-size": CAPTION_SIZE }).textContent = line;
  }
  const height = y + MARGIN;
  ground.setAttribute("height", String(height));
  root.setAttribute("xmlns", SVG);
  root.setAttribute("viewBox", `0 0 ${width} ${height}`);
  root.setAttribute("width", String(width));
  root.setAttribute("height", String(height));
  root.setAttribute("role", "img");
  const title = document.createElementNS(SVG, "title");
  title.textContent = caption.join(" ");
  root.prepend(title);
  return { svg: new XMLSerializer().serializeToString(root), width, height };
}

/** Roughly: letters differ, and a caption may stand a little short of its edge. */
function wrapped(text: string, letters: number): readonly string[] {
  const lines = [""];
  for (const word of text.split(/\s+/)) {
    const line = lines.at(-1) ?? "";
    if (line !== "" && line.length + word.length >= letters) lines.push(word);
    else lines[lines.length - 1] = line === "" ? word : `${line} ${word}`;
  }
  return lines;
}

/** @param root where to draw. @param whole what it all belongs to, for its size */
function draw(node: Node, root: Element, whole: Canvas): void {
  if (node instanceof Text) return drawText(node, root, whole);
  if (!(node instanceof Element) || node.matches(LEFT_OUT)) return;
  const style = getComputedStyle(node);
  if (!isSeen(style)) return;
  const box = node.getBoundingClientRect();
  if (node instanceof SVGElement) {
    const y = place(box, whole);
    const copy = copied(node, root);
    if (copy === null) return;
    for (const [key, value] of Object.entries({ x: box.left - whole.origin.left, y, width: box.width, height: box.height })) copy.setAttribute(key, String(Math.round(value * 100) / 100));
    return;
  }
  if (node instanceof HTMLSelectElement) return drawWords(node.selectedOptions[0]?.text ?? "", box, "start", style, root, whole);
  const dial = node.querySelector(":scope > input[type=range][aria-valuetext]");
  if (dial !== null) return drawWords(`Dial: ${dial.getAttribute("aria-valuetext") ?? ""}`, box, "end", style, root, whole);
  if (box.width > 0 && box.height > 0) drawBox(box, style, root, whole);
  const children = Array.from(node.childNodes);
  const drawAll = (): void => {
    // What stands above its neighbours on the page is drawn after them.
    for (const child of children) if (!isRaised(child)) draw(child, root, whole);
    for (const child of children) if (isRaised(child)) draw(child, root, whole);
  };
  if (node instanceof HTMLElement) unscrolled(node, style, box, whole, drawAll);
  else drawAll();
}

function isRaised(node: Node): boolean {
  if (!(node instanceof HTMLElement)) return false;
  const { position, zIndex } = getComputedStyle(node);
  return position !== "static" && Number(zIndex) > 0;
}

/** Draws what is in something that scrolls as if there were room for all of it, and leaves it scrolled as it was. */
function unscrolled(element: HTMLElement, { overflowX, overflowY }: CSSStyleDeclaration, box: DOMRect, whole: Canvas, drawAll: () => void): void {
  const scrolls = (overflow: string): boolean => overflow === "auto" || overflow === "scroll";
  const { scrollTop, scrollLeft, scrollWidth, clientWidth } = element;
  const hidden = element.scrollHeight - element.clientHeight;
  const isTall = hidden > 1 && scrolls(overflowY);
  const isWide = scrollWidth - clientWidth > 1 && scrolls(overflowX);
  if (!isTall && !isWide) return drawAll();
  const { overflow } = element.style;
  // At the edge of nothing that scrolls no column sticks.
  if (isWide) element.style.overflow = "visible";
  else element.scrollTop = 0;
  drawAll();
  if (isWide) whole.right = Math.max(whole.right, box.left - whole.origin.left + scrollWidth);
  element.style.overflow = overflow;
  [element.scrollTop, element.scrollLeft] = [scrollTop, scrollLeft];
  if (isTall) whole.moved.push({ below: box.bottom, by: hidden });
}

/** From the top of the picture. */
function place(box: DOMRect, whole: Canvas): number {
  const moved = whole.moved.reduce((sum, { below, by }) => (box.top >= below - 1 ? sum + by : sum), 0);
  const y = box.top - whole.origin.top + moved;
  whole.bottom = Math.max(whole.bottom, y + box.height);
  return y;
}

function drawBox(box: DOMRect, style: CSSStyleDeclaration, root: Element, whole: Canvas): void {
  const [fill, stroke] = [style.backgroundColor, style.borderTopColor];
  const edge = Number.parseFloat(style.borderTopWidth);
  const isEdged = edge > 0 && isPainted(stroke) && style.borderTopStyle !== "none";
  const isFramed = isEdged && Number.parseFloat(style.borderBottomWidth) > 0;
  const [x, y] = [box.left - whole.origin.left, place(box, whole)];
  if (isPainted(fill) || isFramed) {
    make(root, "rect", {
      x: x + edge / 2, y: y + edge / 2, width: Math.max(0, box.width - edge), height: Math.max(0, box.height - edge), rx: Math.min(Number.parseFloat(style.borderTopLeftRadius) || 0, box.width / 2, box.height / 2),
      fill: isPainted(fill) ? fill : "none", ...(isFramed ? { stroke, "stroke-width": edge } : {}),
    });
  }
  if (isEdged && !isFramed) make(root, "line", { x1: x, x2: x + box.width, y1: y, y2: y, stroke, "stroke-width": edge });
}

/** A control's setting, in place of the control. */
function drawWords(words: string, box: DOMRect, anchor: "start" | "end", style: CSSStyleDeclaration, root: Element, whole: Canvas): void {
  const size = Number.parseFloat(style.fontSize);
  make(root, "text", {
    x: (anchor === "start" ? box.left : box.right) - whole.origin.left, y: place(box, whole) + box.height / 2 + size * 0.35, fill: style.color,
    "font-family": style.fontFamily, "font-size": size, "text-anchor": anchor,
  }).textContent = fitting(words, box.width, style);
}

/** As much of it as there is room for, in pixels. */
function fitting(words: string, width: number, { fontWeight, fontSize, fontFamily }: CSSStyleDeclaration): string {
  const context = document.createElement("canvas").getContext("2d");
  if (context === null) return words;
  context.font = `${fontWeight} ${fontSize} ${fontFamily}`;
  const fits = (text: string): boolean => context.measureText(text).width <= width;
  if (fits(words)) return words;
  let length = words.length;
  while (length > 0 && !fits(`${words.slice(0, length).trimEnd()}…`)) length -= 1;
  return `${words.slice(0, length).trimEnd()}…`;
}

/** A line of text for each line the browser has broken it into. */
function drawText(node: Text, root: Element, whole: Canvas): void {
  const parent = node.parentElement;
  if (parent === null || node.data.trim() === "") return;
  const style = getComputedStyle(parent);
  const size = Number.parseFloat(style.fontSize);
  const clip = style.textOverflow === "ellipsis" || style.overflowX === "hidden" ? parent.getBoundingClientRect().right : Number.POSITIVE_INFINITY;
  let line: { top: number; box: DOMRect; words: string[] } | null = null;
  const flush = (): void => {
    if (line === null) return;
    const text = make(root, "text", {
      x: line.box.left - whole.origin.left, y: place(line.box, whole) + line.box.height / 2 + size * 0.35, fill: style.color, "font-family": style.fontFamily, "font-size": size, "font-weight": style.fontWeight,
      ...(style.textDecorationLine === "underline" ? { "text-decoration": "underline" } : {}),
    });
    text.textContent = line.words.join(" ");
  };
  for (const { 0: word, index } of node.data.matchAll(/\S+/g)) {
    const range = document.createRange();
    range.setStart(node, index);
    range.setEnd(node, index + word.length);
    const box = range.getBoundingClientRect();
    if (box.width === 0) continue;
    const shown = box.right > clip + 1 ? (box.left < clip - size ? `${word.slice(0, Math.floor((word.length * (clip - box.left)) / box.width) - 1)}…` : "") : word;
    if (shown === "") continue;
    if (line !== null && Math.abs(line.top - box.top) < 2) line.words.push(shown);
    else {
      flush();
      line = { top: box.top, box, words: [shown] };
    }
  }
  flush();
}

/** A drawing with its colours written into it; null for what is no shape. */
function copied(element: SVGElement, parent: Element): SVGElement | null {
  if (!SHAPES.has(element.tagName.toLowerCase())) return null;
  const style = getComputedStyle(element);
  if (style.display === "none" && element.tagName !== "defs") return null;
  const copy = document.createElementNS(SVG, element.tagName);
  // A drawing within a drawing is cut at its edges unless it says otherwise: marks stand around a corner of theirs.
  if (element.tagName === "svg" && style.overflowX === "visible") copy.setAttribute("overflow", "visible");
  for (const name of GEOMETRY) {
    const value = element.getAttribute(name);
    if (value !== null) copy.setAttribute(name, value);
  }
  for (const name of PAINT) {
    const value = style.getPropertyValue(name);
    // Paint may name a pattern of the page, which is copied too; no other address stays.
    const local = /^url\(["']?#([\w-]+)["']?\)/.exec(value)?.[1];
    if (value !== "" && !(value.includes("url(") && local === undefined)) copy.setAttribute(name, local === undefined ? value : `url(#${local})`);
  }
  for (const child of element.childNodes) {
    if (child instanceof Text) copy.append(child.data);
    else if (child instanceof SVGElement) copied(child, copy);
  }
  parent.append(copy);
  return copy;
}

/** The hatches that fills refer to. */
function copyPatterns(root: Element): void {
  const defs = make(root, "defs", {});
  for (const pattern of document.querySelectorAll<SVGElement>(".hidden-svg pattern")) copied(pattern, defs);
}

/** Drawn twice as large, for screens and slides. */
export async function pngOf({ svg, width, height }: Picture): Promise<Uint8Array<ArrayBuffer>> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [Math.round(width * 2), Math.round(height * 2)];
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("this browser gives the page no canvas");
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/png"));
  if (blob === null) throw new Error("this browser cannot write such a picture");
  return new Uint8Array(await blob.arrayBuffer());
}
