'use strict';
(() => {
  const byId = (id) => document.getElementById(id);
  const stage = byId('stage');
  const sections = [...stage.querySelectorAll('section')];
  const boxes = [...document.querySelectorAll('#relations input')];
  let current = 0;
  let step = null; // null: everything; k: the first k events
  let view = { x: 0, y: 0, scale: 1 };

  const section = () => sections[current];
  const order = () => section().dataset.order.split(' ').filter(Boolean).map((s) => s.split(':'));

  function place() {
    if (!section()) return;
    section().querySelector('.view').setAttribute('transform', `translate(${view.x} ${view.y}) scale(${view.scale})`);
  }

  function draw() {
    sections.forEach((s, i) => { s.hidden = i !== current; });
    byId('which').textContent = sections.length ? `execution ${current + 1} of ${sections.length}` : 'no execution';
    if (!section()) return;
    const shown = new Set(boxes.filter((b) => b.checked).map((b) => b.value));
    const events = order();
    const past = new Set(events.slice(0, step ?? events.length).map(([node]) => node));
    const now = step ? events[step - 1] : null;
    for (const node of section().querySelectorAll('.node')) {
      node.classList.toggle('later', !past.has(node.dataset.node));
      node.classList.toggle('now', now !== null && node.dataset.node === now[0]);
    }
    for (const edge of section().querySelectorAll('.edge')) {
      const { relation, from, to } = edge.dataset;
      edge.classList.toggle('off', !shown.has(relation));
      edge.classList.toggle('later', !(past.has(from) && past.has(to)));
    }
    document.querySelectorAll('#program span').forEach((line) => {
      line.classList.toggle('here', now !== null && line.dataset.line === now[1]);
    });
    byId('event').textContent = now ? `event ${step} of ${events.length}` : '';
    place();
  }

  function go(execution) {
    if (!sections.length) return;
    current = (execution + sections.length) % sections.length;
    step = null;
    draw();
  }

  function move(by) {
    if (!section()) return;
    const last = order().length;
    step = Math.max(1, Math.min(last, (step ?? (by > 0 ? 0 : last + 1)) + by));
    draw();
  }

  function whole() { step = null; draw(); }
  function fit() { view = { x: 0, y: 0, scale: 1 }; place(); }

  byId('previous').onclick = () => go(current - 1);
  byId('next').onclick = () => go(current + 1);
  byId('back').onclick = () => move(-1);
  byId('forth').onclick = () => move(1);
  byId('whole').onclick = whole;
  byId('fit').onclick = fit;
  boxes.forEach((b) => { b.onchange = draw; });

  const keys = { p: () => go(current - 1), n: () => go(current + 1), ArrowLeft: () => move(-1), ArrowRight: () => move(1), a: whole, f: fit };
  document.addEventListener('keydown', (e) => { if (keys[e.key] && !e.ctrlKey && !e.metaKey) { keys[e.key](); e.preventDefault(); } });

  // Positions of the mouse in the drawing's own units, whatever its size on the screen.
  const local = (e) => {
    const svg = section().querySelector('svg');
    return new DOMPoint(e.clientX, e.clientY).matrixTransform(svg.getScreenCTM().inverse());
  };
  let grip = null;
  stage.addEventListener('pointerdown', (e) => {
    if (!section()) return;
    grip = local(e);
    stage.setPointerCapture(e.pointerId);
    stage.classList.add('dragging');
  });
  stage.addEventListener('pointermove', (e) => {
    if (!grip) return;
    const to = local(e);
    view.x += to.x - grip.x;
    view.y += to.y - grip.y;
    grip = to;
    place();
  });
  stage.addEventListener('pointerup', () => { grip = null; stage.classList.remove('dragging'); });
  stage.addEventListener('wheel', (e) => {
    if (!section()) return;
    e.preventDefault();
    const at = local(e);
    const factor = Math.exp(-e.deltaY / 500);
    const scale = Math.max(0.1, Math.min(10, view.scale * factor));
    view.x = at.x - (at.x - view.x) * (scale / view.scale);
    view.y = at.y - (at.y - view.y) * (scale / view.scale);
    view.scale = scale;
    place();
  }, { passive: false });

  // Edges that do not touch the event under the mouse fade.
  stage.addEventListener('pointerover', (e) => {
    const node = e.target.closest && e.target.closest('.node');
    if (!section()) return;
    section().querySelectorAll('.edge').forEach((edge) => {
      const touches = !node || edge.dataset.from === node.dataset.node || edge.dataset.to === node.dataset.node;
      edge.classList.toggle('faded', !touches);
    });
  });

  draw();
})();
