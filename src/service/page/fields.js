// Descriptions of fields, from the documentation of the contract, which is fetched once.
const MOST_EFFECTS = 12;
let docs = null;
const children = new Map();   // path of a message -> name in either spelling -> documentation
const byVariable = new Map();

// Several fields may determine a variable. The best description is that of the field with its name, then that of
// a field that determines few other variables.
function keepNearest(variable, doc) {
  const distance = (other) => other.path.endsWith(variable.toLowerCase()) ? 0 : other.type.startsWith('message') ? 1000 : other.variables.length;
  const old = byVariable.get(variable);
  if (!old || distance(doc) < distance(old)) byVariable.set(variable, doc);
}

async function loadDocs() {
  const reply = await ask('GET', '/v1/config/explain');
  if (!reply.ok) return;
  docs = reply.body;
  for (const doc of docs) {
    const dot = doc.path.lastIndexOf('.');
    const parent = dot < 0 ? '' : doc.path.slice(0, dot);
    if (!children.has(parent)) children.set(parent, new Map());
    children.get(parent).set(doc.path.slice(dot + 1), doc).set(doc.json_name, doc);
    for (const variable of doc.variables) keepNearest(variable.replace('<i>', '0'), doc);
  }
}

// The documentation of the field, or of the map that contains the key.
function docOf(path) {
  let parent = '';
  let doc = null;
  for (const key of path) {
    if (doc?.type.startsWith('map of')) {
      if (!children.has(`${doc.path}.*`)) return doc;
      parent = `${doc.path}.*`;
      doc = null;
      continue;
    }
    doc = children.get(parent)?.get(key) ?? null;
    if (!doc) return null;
    parent = doc.path;
  }
  return doc;
}

let index = {value: null, members: []};
function members() {
  if (index.value !== text.value) {
    const kind = kindOf(text.value);
    index = {value: text.value, members: kind === 'command' ? variablesOf(text.value) : kind === 'config' ? membersOf(text.value) : []};
  }
  return index.members;
}

function docAt(offset) {
  const member = offset < 0 || !docs ? null : memberAt(members(), offset);
  if (!member) return null;
  const variable = kindOf(text.value) === 'command' && member[2][0];
  return variable ? byVariable.get(variable.replace(/_\d+$/, '_0')) ?? byVariable.get(variable) ?? null : docOf(member[2]);
}

function docElements(doc) {
  const rows = [['type', doc.type + (doc.optional ? ', unset differs from zero' : '')], ['default', doc.default], ['example', doc.example], ['set by', doc.set_by],
    ['variables', doc.variables.join(', ')], ['files', doc.files.join(', ')], ['secret', doc.secret ? 'yes: never logged or shown' : ''],
    ['values', doc.values.map((value) => value.name).join(', ')]];
  return [make('strong', {}, doc.path), make('div', {}, doc.meaning),
    make('dl', {}, ...rows.filter(([, value]) => value).flatMap(([name, value]) => [make('dt', {}, name), make('dd', {}, value)]))];
}

// The properties of the node that the lines of Kubernetes objects determine: line -> [{group, name, value, insteadOf}].
let effects = new Map();
function setEffects(list) {
  effects = new Map();
  for (const effect of list) effects.set(effect.line, [...(effects.get(effect.line) ?? []), effect]);
  shownAt = null;
  showFieldAtCursor();
}

// The effects of the line, or of the nearest enclosing line.
function effectsAt(offset) {
  if (offset < 0 || effects.size === 0) return [];
  const indent = (line) => /^[\s-]*/.exec(text.value.slice(lineStarts[line - 1], lineStarts[line] ?? text.value.length).replace(/\n$/, ''))[0].length;
  let depth = Infinity;
  for (let line = lineOf(offset); line >= 1; --line) {
    if (indent(line) >= depth) continue;
    depth = indent(line);
    if (effects.has(line)) return effects.get(line);
    if (depth === 0) break;
  }
  return [];
}

function effectElements(list) {
  return [make('strong', {}, 'This determines'), make('dl', {}, ...list.slice(0, MOST_EFFECTS).flatMap((effect) => [make('dt', {}, `${effect.group} ${effect.name}`),
    make('dd', {}, effect.value, effect.insteadOf === undefined ? null : make('span', {class: 'muted'}, ` instead of ${effect.insteadOf}`))]))];
}

// The description of the position in the text, as elements.
function aboutPlace(offset) {
  if (kindOf(text.value) === 'documents') {
    const found = effectsAt(offset);
    return found.length ? effectElements(found) : [];
  }
  const doc = docAt(offset);
  return doc ? docElements(doc) : [];
}

function showTip(x, y, elements) {
  const tip = $('tip');
  tip.hidden = elements.length === 0;
  if (tip.hidden) return;
  tip.replaceChildren(...elements);
  tip.style.left = `${Math.max(8, Math.min(x + 14, innerWidth - tip.offsetWidth - 8))}px`;
  tip.style.top = `${y + 18 + tip.offsetHeight > innerHeight ? Math.max(8, y - tip.offsetHeight - 12) : y + 18}px`;
}
const hideTip = () => showTip(0, 0, []);

function tipAt(x, y) {
  const offset = offsetAt(x, y);
  const found = offset < 0 ? [] : (marked.get(lineOf(offset)) ?? []).slice(0, 3);
  showTip(x, y, [...found.map((finding) => make('div', {class: finding.severity}, `${finding.severity}: ${finding.message}`)), ...aboutPlace(offset)]);
}

let pointer = null;
text.addEventListener('pointermove', (event) => {
  if (!pointer) requestAnimationFrame(() => { if (pointer) tipAt(pointer.x, pointer.y); pointer = null; });
  pointer = {x: event.clientX, y: event.clientY};
});
text.addEventListener('pointerleave', () => { pointer = null; hideTip(); });
text.addEventListener('scroll', hideTip, {passive: true});
addEventListener('keydown', (event) => { if (event.key === 'Escape') hideTip(); });

let shownAt = null;  // the displayed text, so that screen readers do not announce it again
function showFieldAtCursor() {
  const about = aboutPlace(text.selectionStart);
  const words = about.map((element) => element.textContent).join();
  if (words === shownAt) return;
  shownAt = words;
  $('field-text').replaceChildren(...(about.length ? about : [make('p', {class: 'muted'}, 'There is nothing to say about the place of the cursor.')]));
}
document.addEventListener('selectionchange', () => { if (document.activeElement === text) showFieldAtCursor(); });
