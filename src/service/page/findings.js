// The list of findings. Selecting one moves the cursor to its position.
const MOST_SHOWN = 300;

function tally(reply) {
  const parts = [counted(reply.errors, 'error'), counted(reply.warnings, 'warning')];
  if (reply.notes) parts.push(counted(reply.notes, 'note'));
  return parts.join(', ');
}

function findingItem(finding, own) {
  const inText = finding.line >= 1 && finding.line <= own;
  const place = inText ? `line ${finding.line}` : finding.line > own ? 'settings of the cluster' : '';
  return make('li', {},
    make('button', {type: 'button', disabled: !inText, 'data-rule': finding.rule, onclick: () => goTo(finding.line, finding.column)},
      make('strong', {class: finding.severity}, finding.severity), ` ${place ? `${place}: ` : ''}`,
      finding.path ? make('code', {}, finding.path) : null, finding.path ? ' ' : null, finding.message,
      finding.hint ? make('small', {}, finding.hint) : null));
}

// `own`: the number of lines of the text; later lines belong to the settings.
function showFindings(reply, own) {
  const shown = reply.findings.slice(0, MOST_SHOWN).map((finding) => findingItem(finding, own));
  const more = reply.findings.length - shown.length;
  if (more > 0) shown.push(make('li', {class: 'muted'}, `and ${counted(more, 'finding')} more`));
  $('findings').replaceChildren(...shown);
  const summary = $('summary');
  summary.textContent = (reply.refused ? 'This cannot be used: ' : '') + (reply.findings.length ? tally(reply) : 'No findings.');
  summary.className = reply.errors ? 'error' : reply.warnings ? 'warning' : 'good';
  markLines(reply.findings);
}

function showProblem(message) {
  $('findings').replaceChildren();
  $('summary').textContent = message;
  $('summary').className = 'error';
  markLines([]);
}
