// The kind of a text, and the field at a position.

// "config" includes a command: the server distinguishes the two, and reports which one it has read.
function kindOf(text) {
  if (!text.trim()) return 'nothing';
  const start = text.slice(0, 65536);
  if (/^\s*\{/.test(start)) return /"apiVersion"\s*:\s*"[^"]*"/.test(start) && /"kind"\s*:\s*"/.test(start) ? 'documents' : 'config';
  if (/^(apiVersion|kind)\s*:/m.test(start)) return 'documents';
  return /^\s*[A-Z_]+=|\/usr\/bin\/nohup/.test(start) ? 'command' : 'config';
}

// The members of a JSON text: [start, end, path], where the path is a list of keys, in the order of their start. A member
// ends where its value ends. If the text is incomplete or invalid, the members up to that point are returned.
function membersOf(text) {
  const members = [];
  const open = [];  // the open objects and lists: {list, key, member}
  const path = [];
  let at = 0;
  let expectKey = false;
  const close = (end) => {
    const top = open.at(-1);
    if (top?.member) {
      top.member[1] = end;
      top.member = null;
      path.pop();
    }
  };
  while (at < text.length) {
    const c = text[at];
    if (c === '"') {
      const start = at;
      for (++at; at < text.length && text[at] !== '"' && text[at] !== '\n'; ++at) if (text[at] === '\\') ++at;
      ++at;
      if (expectKey && open.at(-1) && !open.at(-1).list) {
        let key = text.slice(start + 1, at - 1);
        try { key = JSON.parse(text.slice(start, at)); } catch { /* as it is written */ }
        path.push(key);
        open.at(-1).member = [start, text.length, [...path]];
        members.push(open.at(-1).member);
        expectKey = false;
      }
      continue;
    }
    if (c === '{' || c === '[') {
      open.push({list: c === '[', member: null});
      expectKey = c === '{';
    } else if (c === '}' || c === ']') {
      close(at);
      open.pop();
      expectKey = false;
    } else if (c === ',') {
      close(at);
      expectKey = open.length > 0 && !open.at(-1).list;
    }
    ++at;
  }
  return members;
}

// The variables of a command: [start, end, [name]].
function variablesOf(text) {
  const members = [];
  for (const found of text.matchAll(/(?:^|[\s;])([A-Z][A-Z0-9_]*)=/g)) {
    const start = found.index + found[0].length - found[1].length - 1;
    if (members.length) members.at(-1)[1] = start;
    members.push([start, text.length, [found[1]]]);
  }
  return members;
}

// The innermost member that contains the offset.
function memberAt(members, offset) {
  let low = 0;
  let high = members.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (members[middle][0] <= offset) low = middle + 1;
    else high = middle;
  }
  for (let i = low - 1; i >= 0 && i > low - 2000; --i) if (offset < members[i][1]) return members[i];
  return null;
}
