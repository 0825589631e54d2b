import { Agent, EnvHttpProxyAgent, request } from 'undici'
import { durationText } from '../terminal/duration-text.ts'
import type { Check } from './check.ts'

const timeLimitMs = 10_000
/** The header counts whole seconds, and the way there and back takes its time. */
const fineMs = 5000
const wrongMs = 60_000

/** How far the clock of this machine is from that of the service; undefined where the service does not tell the time. */
export async function checkClock(baseUrl: string, isSandbox: boolean): Promise<Check | undefined> {
  const dispatcher = isSandbox ? new Agent() : new EnvHttpProxyAgent()
  try {
    const sentAt = Date.now()
    const { headers, body } = await request(baseUrl, { dispatcher, signal: AbortSignal.timeout(timeLimitMs) })
    const answeredAt = Date.now()
    await body.dump()
    const theirs = Date.parse(String(headers['date']))
    return Number.isNaN(theirs) ? undefined : judge((sentAt + answeredAt) / 2 - (theirs + 500))
  } catch {
    // The check of the service has told why already.
    return undefined
  } finally {
    await dispatcher.destroy()
  }
}

function judge(differenceMs: number): Check {
  const name = 'clock'
  const far = Math.abs(differenceMs)
  if (far <= fineMs) return { name, status: 'ok', message: 'agrees with the service' }
  const message = `this machine is ${durationText(far)} ${differenceMs > 0 ? 'ahead of' : 'behind'} the service`
  const hints = ['set the clock by NTP; times in logs and rate limits go wrong otherwise']
  return { name, status: far > wrongMs ? 'fail' : 'warn', message, hints }
}
