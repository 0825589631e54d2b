import { expect, onTestFinished, test, vi } from 'vitest'
import { opsbook } from './support/opsbook.ts'

const key = Buffer.alloc(32).toString('base64')

const malformed = [
  { keys: key, said: 'entry 1 is not an id, a colon and a key in base64' },
  { keys: `new:${key},old:AAAA`, said: 'the key old has 3 bytes, and must have 32' },
  { keys: `new:${key},new:${key}`, said: 'the id new is used twice' },
]

test.each(malformed)('keys for payloads that cannot be read: $said', async ({ keys, said }) => {
  const env = { OPSBOOK_TEMPORAL_KEYS: keys, TEMPORAL_ADDRESS: '127.0.0.1:1' }
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
  onTestFinished(() => void vi.unstubAllEnvs())
  for (const words of [
    ['runs', '--engine', 'temporal'],
    // It would wait for its server for ever.
    ['worker', '--sandbox'],
  ]) {
    const { code, stderr } = await opsbook(words, { env })
    expect(stderr).toContain(`PayloadUnreadable: OPSBOOK_TEMPORAL_KEYS: ${said}`)
    expect(stderr).toContain('Write OPSBOOK_TEMPORAL_KEYS as ID:BASE64')
    expect(stderr).not.toContain(key)
    expect(code).toBe(5)
  }
})
