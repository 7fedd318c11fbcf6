// The text area with line numbers and marked lines. Only the visible lines are drawn, so a text of a megabyte is as
// fast as a short one.
const LINE = 20;
const PADDING = {top: 8, left: 10};
const text = $('text');
let lineStarts = [0];
let marked = new Map();  // line -> [finding], the worst first
const WORST = {error: 0, warning: 1, note: 2};
const charWidth = (() => {
  const context = document.createElement('canvas').getContext('2d');
  context.font = getComputedStyle($('editor')).font;
  return context.measureText('M'.repeat(100)).width / 100;
})();

function countLines() {
  lineStarts = [0];
  for (let at = text.value.indexOf('\n'); at >= 0; at = text.value.indexOf('\n', at + 1)) lineStarts.push(at + 1);
}

function drawLines() {
  const first = Math.max(0, Math.floor((text.scrollTop - PADDING.top) / LINE));
  const last = Math.min(lineStarts.length, first + Math.ceil(text.clientHeight / LINE) + 2);
  const numbers = [];
  const bars = [];
  for (let i = first; i < last; ++i) {
    const top = `${PADDING.top + i * LINE - text.scrollTop}px`;
    const worst = marked.get(i + 1)?.[0].severity;
    const number = make('div', {class: worst ? `mark ${worst}` : ''}, String(i + 1));
    number.style.top = top;
    numbers.push(number);
    if (!worst) continue;
    const bar = make('div', {class: worst, 'data-line': i + 1});
    bar.style.top = top;
    bars.push(bar);
  }
  $('gutter').replaceChildren(...numbers);
  $('marks').replaceChildren(...bars);
}

function markLines(findings) {
  marked = new Map();
  for (const finding of findings) {
    if (finding.line < 1 || finding.line > lineStarts.length) continue;
    if (!marked.has(finding.line)) marked.set(finding.line, []);
    marked.get(finding.line).push(finding);
  }
  for (const list of marked.values()) list.sort((a, b) => WORST[a.severity] - WORST[b.severity]);
  drawLines();
}

function lineOf(offset) {
  let low = 0;
  let high = lineStarts.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (lineStarts[middle] <= offset) low = middle;
    else high = middle;
  }
  return low + 1;
}

// The offset of the character at a point of the window; -1 if there is none.
function offsetAt(x, y) {
  const box = text.getBoundingClientRect();
  const line = Math.floor((y - box.top - PADDING.top + text.scrollTop) / LINE);
  const column = Math.floor((x - box.left - PADDING.left + text.scrollLeft) / charWidth);
  if (line < 0 || line >= lineStarts.length || column < 0) return -1;
  const end = line + 1 < lineStarts.length ? lineStarts[line + 1] - 1 : text.value.length;
  return lineStarts[line] + column < end ? lineStarts[line] + column : -1;
}

function goTo(line, column) {
  const start = Math.min(lineStarts[Math.min(line, lineStarts.length) - 1] + Math.max(0, column - 1), text.value.length);
  text.focus();
  text.setSelectionRange(start, start);
  text.scrollTop = Math.max(0, (line - 1) * LINE - text.clientHeight / 2);
  text.scrollLeft = Math.max(0, column * charWidth - text.clientWidth / 2);
}

text.addEventListener('scroll', drawLines, {passive: true});
new ResizeObserver(drawLines).observe(text);
