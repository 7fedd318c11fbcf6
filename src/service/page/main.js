// Connects the parts: a change of the text is checked when typing pauses, and aborts the previous request.
const SYSTEMS = ['ubuntu2204', 'ubuntu2404', 'azurelinux3', 'osguard', 'flatcar', 'acl'];
const PAUSE = 250;  // milliseconds
let running = null;
let waiting = 0;
let acceptNext = false;
let current = null;  // like `accepted`; null: the text cannot be used

const NAMES = {nothing: '', config: 'A config', command: 'A command', documents: 'Kubernetes objects'};

// The findings, and the config of the text (a text for the API) if it can be used.
async function judge(kind, value, signal) {
  if (kind === 'documents') {
    const settings = $('settings').value;
    const reply = await post('/v1/resolve/check', signal, settings.trim() ? `${value}\n---\n${settings}` : value, 'application/yaml');
    const made = reply.body.nodeConfig;
    setEffects(reply.body.effects ?? []);
    return {reply, plan: made && JSON.stringify(made), config: made && JSON.stringify(made)};
  }
  const reply = await post('/v1/config/check', signal, value);
  if (!reply.ok || reply.body.refused) return {reply};
  if (kind !== 'command') return {reply, plan: value, config: value};
  const command = await post('/v1/config/from-nbc', signal, value);
  return {reply, plan: value, config: command.ok ? JSON.stringify(command.body) : undefined};
}

function showNothing(message) {
  current = null;
  showPlan(null);
  showSize(null);
  showChanges(null);
  if (message) $('changes-summary').textContent = message;
  $('accept').disabled = true;
}

async function look() {
  running?.abort();
  const {signal} = running = new AbortController();
  const value = text.value;
  const kind = kindOf(value);
  $('kind').textContent = NAMES[kind];
  $('settings-box').hidden = kind !== 'documents';
  document.body.setAttribute('aria-busy', 'true');
  try {
    if (kind === 'nothing') {
      showProblem('No text yet.');
      $('summary').className = '';
      showNothing();
      return;
    }
    const {reply, plan, config} = await judge(kind, value, signal);
    if (!reply.ok) showProblem(reason(reply));
    else showFindings(reply.body, lineStarts.length);
    if (config === undefined) {
      showNothing(accepted ? 'A text that cannot be used is not compared.' : '');
      return;
    }
    // A command is compared itself, because it contains texts that its config does not have.
    current = {compared: kind === 'documents' ? config : value};
    if (acceptNext || !accepted) accepted = current;
    acceptNext = false;
    const os = encodeURIComponent($('os').value);
    const changed = accepted.compared !== current.compared;
    const all = await Promise.all([
      post(`/v1/plan?os=${os}`, signal, plan), post(`/v1/render/custom-data?os=${os}`, signal, config, 'application/json'),
      changed ? post('/v1/config/diff', signal, JSON.stringify({left: accepted.compared, right: current.compared}), 'application/json') : null]);
    showPlan(all[0]);
    showSize(all[1]);
    showChanges(all[2]);
    $('accept').disabled = !changed;
  } catch (error) {
    if (error.name !== 'AbortError') throw error;
  } finally {
    // After an abort, the next check is already scheduled.
    if (!signal.aborted) document.body.setAttribute('aria-busy', 'false');
  }
}

function changed(delay = PAUSE) {
  running?.abort();
  document.body.setAttribute('aria-busy', 'true');
  countLines();
  drawLines();
  clearTimeout(waiting);
  waiting = setTimeout(look, delay);
}

// A text that replaces the old one becomes the version with which edits are compared.
function replaceText(value) {
  text.value = value;
  acceptNext = true;
  text.setSelectionRange(0, 0);
  text.scrollTop = 0;
  changed(0);
}

async function openFile(file) {
  if (!file) return;
  if (file.size > 4 << 20) {
    showProblem('The file is larger than 4 MiB, the largest that the server accepts.');
    return;
  }
  replaceText(await file.text());
}

text.addEventListener('input', () => changed());
text.addEventListener('paste', () => { if (text.selectionEnd - text.selectionStart === text.value.length) acceptNext = true; });
$('settings').addEventListener('input', () => changed());
$('os').append(...SYSTEMS.map((name) => make('option', {value: name}, name)));
$('os').addEventListener('change', () => changed(0));
$('example').addEventListener('change', () => { if ($('example').value) replaceText(EXAMPLES[$('example').value]); });
$('open').addEventListener('click', () => $('file').click());
$('file').addEventListener('change', () => { openFile($('file').files[0]); $('file').value = ''; });
$('accept').addEventListener('click', () => { if (current) { accepted = current; showChanges(null); $('accept').disabled = true; text.focus(); } });
addEventListener('dragover', (event) => { event.preventDefault(); $('editor').classList.add('drop'); });
addEventListener('dragleave', (event) => { if (!event.relatedTarget) $('editor').classList.remove('drop'); });
addEventListener('drop', (event) => {
  event.preventDefault();
  $('editor').classList.remove('drop');
  const file = event.dataTransfer.files[0];
  if (file) openFile(file);
  else if (event.dataTransfer.getData('text')) replaceText(event.dataTransfer.getData('text'));
});

const dark = matchMedia('(prefers-color-scheme: dark)');
function showTheme() {
  const isDark = (document.documentElement.dataset.theme ?? (dark.matches ? 'dark' : 'light')) === 'dark';
  $('theme').setAttribute('aria-pressed', String(isDark));
  return isDark;
}
$('theme').addEventListener('click', () => { document.documentElement.dataset.theme = showTheme() ? 'light' : 'dark'; showTheme(); });
dark.addEventListener('change', showTheme);

showTheme();
$('settings').value = EXAMPLES.settings;
showNothing();
showFieldAtCursor();
countLines();
drawLines();
async function learnFields() {
  $('field').setAttribute('aria-busy', 'true');
  await loadDocs();
  showFieldAtCursor();
  $('field').setAttribute('aria-busy', 'false');
}
watchToken(() => {
  if (!docs) learnFields();
  changed(0);
});
learnFields();
if (text.value) changed(0);  // a browser may restore it
