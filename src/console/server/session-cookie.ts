/** The name of the cookie. Browsers send a cookie to all ports of a host, so that each console needs its own. */
export function cookieName(port: number | undefined, publicUrl: URL | undefined): string {
  return publicUrl?.protocol === 'https:' ? '__Host-opsbook' : `opsbook-${port}`
}

/** The value of a cookie in a request. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  for (const pair of header?.split(';') ?? []) {
    const [key, value] = pair.trim().split('=', 2)
    if (key === name) return value
  }
  return undefined
}

/** The header that gives a browser its session, or takes it away if there is no secret. No script can read it. */
export function sessionCookie(
  secret: string | undefined,
  port: number | undefined,
  publicUrl: URL | undefined,
): string {
  const parts = [`${cookieName(port, publicUrl)}=${secret ?? ''}`, 'Path=/', 'HttpOnly', 'SameSite=Strict']
  if (publicUrl?.protocol === 'https:') parts.push('Secure')
  if (secret === undefined) parts.push('Max-Age=0')
  return parts.join('; ')
}
