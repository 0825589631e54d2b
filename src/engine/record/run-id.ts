import { randomBytes } from 'node:crypto'

/** No letters or digits that look alike. */
const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789'

/** Such as `run_20261120_231503_k3x9qd`: sorts by time, and can be typed. */
export function createRunId(at: Date): string {
  const [date = '', time = ''] = at
    .toISOString()
    .replaceAll(/[-:]|\..*/g, '')
    .split('T')
  const tail = Array.from(randomBytes(6), (byte) => alphabet[byte % alphabet.length]).join('')
  return `run_${date}_${time}_${tail}`
}
