import { describe, expect, it } from 'vitest'
import { expectNoSecret } from './failure-of.ts'

describe('looking for a secret', () => {
  it.each([
    ['message', new Error('the key is s3cret/key')],
    ['cause', new Error('x', { cause: new Error('y', { cause: 'app_key=s3cret%2Fkey' }) })],
    ['field', Object.assign(new Error('x'), { path: '/?app_key=S3CRET/KEY' })],
    [
      'hidden field',
      Object.defineProperty(new Error('x'), 'request', { value: { headers: ['s3cret/key'] } }),
    ],
    ['base64', new Error(Buffer.from('s3cret/key').toString('base64'))],
  ])('finds a secret in the %s', (_place, error) => {
    expect(() => expectNoSecret(error, ['s3cret/key'])).toThrow()
    expect(() => expectNoSecret(error, ['another'])).not.toThrow()
  })
})
