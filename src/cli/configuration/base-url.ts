import { CommandError } from '../command-error.ts'
import { exitCodes } from '../exit-codes.ts'

/**
 * Checks an address of the service. A wrong one is not repeated in the message: people paste whole request URLs,
 * and those hold the key.
 */
export function checkBaseUrl(text: string, place: string): { baseUrl: string; warnings: readonly string[] } {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const refuse = (problem: string): never => {
    throw new CommandError(exitCodes.usage, `${place} ${problem}`, {
      hints: ['such as https://api.example.com'],
    })
  }
  if (!url || !/^https?:\/\/[^/]/i.test(text)) return refuse('is not an http or https address')
  if (url.username !== '' || url.password !== '') refuse('must not hold a user name or password')
  if (url.search !== '' || url.hash !== '')
    refuse('must end before "?" and "#": the key is configured apart from it')
  const baseUrl = `${url.origin}${url.pathname}`.replace(/\/+$/, '')
  const isPlain = url.protocol === 'http:' && !isLoopback(url.hostname)
  return {
    baseUrl,
    warnings: isPlain ? [`${baseUrl} is not https: the key travels readable over the network`] : [],
  }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(\.\d+){3}$/.test(host)
}
