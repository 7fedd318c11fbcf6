// Elements, and requests to this server. Text is only used for text nodes and attributes, and never parsed as markup.
const $ = (id) => document.getElementById(id);

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child != null));
  return element;
}
const make = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
const shape = (tag, attributes = {}, ...children) => fill(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);

const counted = (count, noun) => `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;

// The reply of the API: {ok, status, body}. An abort is thrown as an exception, as by fetch().
async function ask(method, path, signal, body, type = 'text/plain') {
  const caller = credentials();
  if (!caller) return {ok: false, status: 0, body: {error: 'The token cannot be sent.'}};
  const headers = body === undefined ? caller : {...caller, 'Content-Type': type};
  let reply;
  try {
    reply = await fetch(path, {method, body, headers, signal, cache: 'no-store', credentials: 'same-origin'});
    if (reply.status === 401) askForToken();
    return {ok: reply.ok, status: reply.status, body: await reply.json()};
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    return {ok: false, status: reply?.status ?? 0, body: {error: reply ? 'The answer of the server cannot be read.' : 'The server does not answer.'}};
  }
}
const post = (path, signal, body, type) => ask('POST', path, signal, body, type);

// The error text of a reply that is not a success.
function reason({status, body}) {
  if (status === 401) return 'The server does not know who is calling: it needs a token, or a client certificate.';
  if (status === 403) return 'The server knows who is calling, but this caller may not use this part of it.';
  return [body.error, body.hint].filter(Boolean).join('. ') || `The server answered with status ${status}.`;
}
