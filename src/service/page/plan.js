// The plan as a graph: a step is to the right of all steps that it waits for. Redundant arrows are omitted.
const BOX = {width: 196, height: 28, gapX: 44, gapY: 10};

// For each step the indexes of its predecessors: {needs: Set, after: Set}.
function stepsBefore(steps) {
  const provider = new Map(steps.flatMap((step, i) => step.provides.map((name) => [name, i])));
  const known = (names, own) => new Set(names.map((name) => provider.get(name)).filter((i) => i !== undefined && i !== own));
  return steps.map((step, i) => ({needs: known(step.needs, i), after: known(step.after, i)}));
}

// Removes arrows for which there is a longer path. The steps are sorted: each follows those that it waits for.
function reduced(before) {
  const reach = [];
  return before.map(({needs, after}) => {
    const direct = new Set([...needs, ...after]);
    const far = new Set();
    for (const i of direct) for (const j of reach[i]) far.add(j);
    reach.push(new Set([...direct, ...far]));
    return [...direct].filter((i) => !far.has(i)).map((i) => ({from: i, weak: !needs.has(i)}));
  });
}

function layout(edges) {
  const column = [];
  edges.forEach((list, i) => { column[i] = list.length ? Math.max(...list.map((edge) => column[edge.from])) + 1 : 0; });
  const free = [];  // the next free row of each column
  const row = [];
  edges.forEach((list, i) => {
    const wanted = list.length ? Math.min(...list.map((edge) => row[edge.from])) : 0;
    row[i] = Math.max(free[column[i]] ?? 0, wanted);
    free[column[i]] = row[i] + 1;
  });
  return {column, row};
}

function stepDetails(step) {
  return [make('strong', {}, step.name), ` ${step.purpose}.`,
    make('dl', {}, ...[['needs', step.needs], ['after', step.after], ['provides', step.provides.slice(1)], ['files', step.files.map((file) => file.path)], ['units', step.units]]
      .filter(([, list]) => list.length).flatMap(([name, list]) => [make('dt', {}, name), make('dd', {}, list.join(', '))]))];
}

function drawPlan(plan) {
  const edges = reduced(stepsBefore(plan.steps));
  const {column, row} = layout(edges);
  const x = (i) => 6 + column[i] * (BOX.width + BOX.gapX);
  const y = (i) => 6 + row[i] * (BOX.height + BOX.gapY);
  const width = Math.max(...column) * (BOX.width + BOX.gapX) + BOX.width + 12;
  const height = (Math.max(...row) + 1) * (BOX.height + BOX.gapY) + 12;
  const decides = new Set(plan.critical_path);
  const on = (i) => decides.has(plan.steps[i].name);
  const lines = edges.flatMap((list, i) => list.map(({from, weak}) => {
    const [x1, y1, x2, y2] = [x(from) + BOX.width, y(from) + BOX.height / 2, x(i), y(i) + BOX.height / 2];
    const path = on(i) && on(from) && Math.abs(plan.critical_path.indexOf(plan.steps[i].name) - plan.critical_path.indexOf(plan.steps[from].name)) === 1;
    return shape('path', {class: `${weak ? 'weak' : ''} ${path ? 'decides' : ''}`, 'data-from': from, 'data-to': i,
      d: `M${x1} ${y1}C${x1 + BOX.gapX / 2} ${y1} ${x2 - BOX.gapX / 2} ${y2} ${x2} ${y2}`});
  }));
  const boxes = plan.steps.map((step, i) => {
    const shown = step.name.length > 25 ? `${step.name.slice(0, 24)}…` : step.name;
    return shape('g', {class: `${step.phase} ${on(i) ? 'decides' : ''}`, tabindex: i === 0 ? 0 : -1, role: 'listitem', 'aria-label': `${step.name}: ${step.purpose}`, 'data-step': i},
      shape('rect', {x: x(i), y: y(i), width: BOX.width, height: BOX.height}), shape('text', {x: x(i) + 9, y: y(i) + 18}, shown));
  });
  const picture = shape('svg', {width, height, viewBox: `0 0 ${width} ${height}`, role: 'list', 'aria-label': 'Steps in their order; arrow keys move between them'}, ...lines, ...boxes);
  const light = (i) => {
    for (const line of lines) line.classList.toggle('lit', i >= 0 && (Number(line.dataset.from) === i || Number(line.dataset.to) === i));
    boxes.forEach((box, j) => box.classList.toggle('lit', j === i));
    if (i >= 0) $('step').replaceChildren(...stepDetails(plan.steps[i]));
  };
  const stepOf = (event) => Number(event.target.closest('[data-step]')?.dataset.step ?? -1);
  picture.addEventListener('pointerover', (event) => light(stepOf(event)));
  picture.addEventListener('focusin', (event) => light(stepOf(event)));
  picture.addEventListener('keydown', (event) => {
    const move = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[event.key];
    const next = event.key === 'Home' ? 0 : event.key === 'End' ? boxes.length - 1 : stepOf(event) + (move ?? NaN);
    if (!boxes[next]) return;
    event.preventDefault();
    boxes.forEach((box, i) => box.setAttribute('tabindex', i === next ? 0 : -1));
    boxes[next].focus();
  });
  return picture;
}

function showPlan(reply) {
  $('plan-list-box').hidden = !reply?.ok;
  $('step').replaceChildren();
  $('assumed').replaceChildren();
  const summary = $('plan-summary');
  summary.className = reply && !reply.ok ? 'error' : 'muted';
  if (!reply?.ok) {
    $('plan').replaceChildren();
    summary.textContent = reply ? reason(reply) : 'There is a plan once the text can be used.';
    return;
  }
  const plan = reply.body;
  summary.textContent = `${counted(plan.steps.length, 'step')} until ${plan.milestone} and after it, with native provisioning. Assumed:`;
  $('assumed').replaceChildren(...plan.assumed.map((line) => make('li', {}, line)),
    ...plan.unused.map((field) => make('li', {class: 'warning'}, `${field.path} is not used: ${field.why}`)));
  $('plan').replaceChildren(drawPlan(plan));
  $('plan-list').replaceChildren(...plan.steps.map((step) => make('li', {}, make('code', {}, step.name), ` ${step.purpose} `, make('small', {}, `(${step.phase})`))));
}
