import type { RateLimit } from '../../api/operations/index.ts'

/** Such as `10/s, 600/min`. */
export function limitText({ perSecond, perMinute, perDay }: RateLimit): string {
  return [`${perSecond}/s`, `${perMinute}/min`, ...(perDay === undefined ? [] : [`${perDay}/day`])].join(', ')
}

/** Who shares the count, in words. */
export function sharedBy({ per }: RateLimit): string {
  return per === 'account' ? 'all keys of the account together' : 'each key on its own'
}
