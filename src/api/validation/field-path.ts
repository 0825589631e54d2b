/** The path of a field or an item, such as `tools[2].params` or `["the service"].enabled`. */
export function childPath(parent: string, child: string | number): string {
  if (typeof child === 'number') return `${parent}[${child}]`
  if (!/^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(child)) return `${parent}[${JSON.stringify(child)}]`
  return parent === '' ? child : `${parent}.${child}`
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
