/**
 * A panel of the page as a drawing that stands alone: boxes, text and drawings where the browser has laid them out, every colour as it is computed.
 * Built by the DOM and written by its serialiser, so that text is text whatever is in it; no scripts, styles, links or foreign objects.
 */

const SVG = "http://www.w3.org/2000/svg";
const MARGIN = 16;
const CAPTION_SIZE = 13;
/** Controls, and what is only there to be heard. */
const LEFT_OUT = ".vh, .skip, input, select, textarea, script, style, .card-head button, .board-controls, .focus-head button, [hidden]";
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
  const canvas: Canvas = { root, origin, moved: [], bottom: origin.height };
  const style = getComputedStyle(panel);
  const ground = make(root, "rect", { width: "100%", height: "100%", fill: isPainted(style.backgroundColor) ? style.backgroundColor : getComputedStyle(document.body).backgroundColor });
  copyPatterns(root);
  const body = make(root, "g", { transform: `translate(${MARGIN} ${MARGIN})` });
  for (const child of panel.childNodes) draw(child, { ...canvas, root: body }, canvas, 0);
  const width = origin.width + 2 * MARGIN;
  let y = canvas.bottom + 2 * MARGIN;
  for (const line of caption.flatMap((text) => wrapped(text, (origin.width / CAPTION_SIZE) * 1.9))) {
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

/** @param canvas where to draw. @param whole what it all belongs to, for its height. @param shift down, of what stands in something that scrolls */
function draw(node: Node, canvas: Canvas, whole: Canvas, shift: number): void {
  if (node instanceof Text) return drawText(node, canvas, whole, shift);
  if (!(node instanceof Element) || node.matches(LEFT_OUT)) return;
  const style = getComputedStyle(node);
  if (!isSeen(style)) return;
  const box = node.getBoundingClientRect();
  if (node instanceof SVGElement) {
    const y = place(box, whole, shift);
    const copy = copied(node, canvas.root);
    if (copy === null) return;
    for (const [key, value] of Object.entries({ x: box.left - whole.origin.left, y, width: box.width, height: box.height })) copy.setAttribute(key, String(Math.round(value * 100) / 100));
    return;
  }
  if (box.width > 0 && box.height > 0) drawBox(box, style, canvas, whole, shift);
  const hidden = node.scrollHeight - node.clientHeight;
  const isScrolled = hidden > 1 && (style.overflowY === "auto" || style.overflowY === "scroll");
  for (const child of node.childNodes) draw(child, canvas, whole, shift + (isScrolled ? node.scrollTop : 0));
  if (isScrolled) whole.moved.push({ below: box.bottom, by: hidden });
}

/** From the top of the picture. */
function place(box: DOMRect, whole: Canvas, shift: number): number {
  const moved = whole.moved.reduce((sum, { below, by }) => (box.top >= below - 1 ? sum + by : sum), 0);
  const y = box.top - whole.origin.top + shift + moved;
  whole.bottom = Math.max(whole.bottom, y + box.height);
  return y;
}

function drawBox(box: DOMRect, style: CSSStyleDeclaration, canvas: Canvas, whole: Canvas, shift: number): void {
  const [fill, stroke] = [style.backgroundColor, style.borderTopColor];
  const edge = Number.parseFloat(style.borderTopWidth);
  const isEdged = edge > 0 && isPainted(stroke) && style.borderTopStyle !== "none";
  const isFramed = isEdged && Number.parseFloat(style.borderBottomWidth) > 0;
  const [x, y] = [box.left - whole.origin.left, place(box, whole, shift)];
  if (isPainted(fill) || isFramed) {
    make(canvas.root, "rect", {
      x: x + edge / 2, y: y + edge / 2, width: Math.max(0, box.width - edge), height: Math.max(0, box.height - edge), rx: Number.parseFloat(style.borderTopLeftRadius) || 0,
      fill: isPainted(fill) ? fill : "none", ...(isFramed ? { stroke, "stroke-width": edge } : {}),
    });
  } else if (isEdged) make(canvas.root, "line", { x1: x, x2: x + box.width, y1: y, y2: y, stroke, "stroke-width": edge });
}

/** A line of text for each line the browser has broken it into. */
function drawText(node: Text, canvas: Canvas, whole: Canvas, shift: number): void {
  const parent = node.parentElement;
  if (parent === null || node.data.trim() === "") return;
  const style = getComputedStyle(parent);
  const size = Number.parseFloat(style.fontSize);
  const clip = style.textOverflow === "ellipsis" || style.overflowX === "hidden" ? parent.getBoundingClientRect().right : Number.POSITIVE_INFINITY;
  let line: { top: number; box: DOMRect; words: string[] } | null = null;
  const flush = (): void => {
    if (line === null) return;
    const text = make(canvas.root, "text", {
      x: line.box.left - whole.origin.left, y: place(line.box, whole, shift) + line.box.height / 2 + size * 0.35, fill: style.color, "font-family": style.fontFamily, "font-size": size, "font-weight": style.fontWeight,
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
