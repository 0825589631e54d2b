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
