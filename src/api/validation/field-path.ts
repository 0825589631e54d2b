/** The path of a field or an item, such as `tools[2].params` or `["the service"].enabled`. */
export function childPath(parent: string, child: string | number): string {
  if (typeof child === 'number') return `${parent}[${child}]`
  if (!/^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(child)) return `${parent}[${JSON.stringify(child)}]`
  return parent === '' ? child : `${parent}.${child}`
}

/** The path that a JSON pointer names in this value. */
export function pointerPath(pointer: string, value: unknown): string {
  let path = ''
  let holder = value
  for (const part of pointer.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~')
    path = childPath(path, Array.isArray(holder) ? Number(name) : name)
    holder = typeof holder === 'object' && holder !== null ? Reflect.get(holder, name) : undefined
  }
  return path
}

/**
 * Whether a text is an absolute `http` or `https` URL with a host. Spelled out rather than left to `URL`, which accepts
 * `http:host` and mends much else.
 */
export function isHttpUrl(text: string): boolean {
  const isHttp = /^https?:\/\/[^\s/?#]/i.test(text) && !/[\s\p{Cc}]/u.test(text)
  return isHttp && hasHost(text) && URL.canParse(text)
}

function hasHost(text: string): boolean {
  const authority = text.replace(/^https?:\/\//i, '').split(/[/?#]/, 1)[0] ?? ''
  const host = authority.slice(authority.lastIndexOf('@') + 1)
  return /^(\[[0-9a-f:.]+\]|[^:[\]]+)(:\d{1,5})?$/i.test(host)
}
