// A loader that writes the address of every module to the file that IMPORTS_FILE names.
import { appendFileSync } from 'node:fs'

export async function resolve(specifier, context, next) {
  const resolved = await next(specifier, context)
  appendFileSync(process.env.IMPORTS_FILE, `${resolved.url}\n`)
  return resolved
}
