import { randomBytes } from 'node:crypto'

/** Without letters and digits that look alike. */
const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789'

/** Creates an id such as `run_20261120_231503_k3x9qd`, which sorts by time and is easy to type. */
export function createRunId(at: Date): string {
  const [date = '', time = ''] = at
    .toISOString()
    .replaceAll(/[-:]|\..*/g, '')
    .split('T')
  const tail = Array.from(randomBytes(6), (byte) => alphabet[byte % alphabet.length]).join('')
  return `run_${date}_${time}_${tail}`
}
