// The size of the custom data in relation to Azure's limit.
const LIMIT = 65535;

function showSize(reply) {
  const meter = $('meter');
  const line = $('size');
  line.className = reply?.ok === false ? 'error' : 'muted';
  if (!reply?.ok) {
    meter.value = reply ? LIMIT : 0;
    line.textContent = reply ? reason(reply) : '';
    return;
  }
  const data = reply.body.customData;
  const bytes = data.length / 4 * 3 - (data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0);
  const compressed = data.startsWith('H4sI');  // the first bytes of gzip
  meter.value = bytes;
  line.textContent = `${bytes.toLocaleString('en')} of ${LIMIT.toLocaleString('en')} bytes (${Math.round(bytes / LIMIT * 100)} %)` +
    (compressed ? ', compressed because the plain text is larger than the limit' : '') + '.';
}
