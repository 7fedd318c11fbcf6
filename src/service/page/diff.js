// The changes on the node between the last accepted version and the current text.
let accepted = null;  // {compared}: the text for the API

const excerpt = (value) => value === null ? 'unset' : value.length > 200 ? `${value.slice(0, 200)}… (${counted(value.length, 'character')})` : value;

function changeItem(change) {
  const effects = [];
  if (change.variables.length) effects.push(`changes variables ${change.variables.join(', ')}`);
  if (change.files.length) effects.push(`changes files ${change.files.join(', ')}`);
  if (!effects.length) effects.push(change.known ? 'changes nothing on the node' : 'unknown field: only a newer version can tell what it changes');
  const values = change.left === change.right ? [make('div', {class: 'muted'}, change.secret ? '(secret, differs)' : '(differs)')]
    : [make('del', {}, excerpt(change.left)), make('ins', {}, excerpt(change.right))];
  return make('li', {}, make('code', {}, change.path), ...values, ...effects.map((effect) => make('small', {}, effect)));
}

function showChanges(reply) {
  const list = $('changes');
  const summary = $('changes-summary');
  list.replaceChildren();
  summary.className = 'muted';
  if (!reply) {
    summary.textContent = accepted ? 'The config is the same as before.' : 'Edit the text to see what the edit does.';
    return;
  }
  if (!reply.ok) {
    summary.textContent = reason(reply);
    summary.className = 'error';
    return;
  }
  const all = reply.body;
  const total = (member) => new Set(all.flatMap((change) => change[member])).size;
  summary.textContent = all.length === 0 ? 'The config is the same as before.'
    : `${counted(all.length, 'field')} ${all.length === 1 ? 'differs' : 'differ'}: ${counted(total('variables'), 'variable')} and ${counted(total('files'), 'file')} of the node change.`;
  list.replaceChildren(...all.slice(0, MOST_SHOWN).map(changeItem));
}
