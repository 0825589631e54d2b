import { describe, expect, it } from 'vitest'
import { failureOf } from './failure-of.ts'
import { openService } from './open-service.ts'
import { proves } from './statements.ts'

const service = await openService()

const drafting = '00000000000000000000000000000001'
const published = '00000000000000000000000000000002'
const foreign = '00000000000000000000000000000009'

async function statusOf(id: string): Promise<string> {
  const { post_mortems } = await service.control('state')
  return post_mortems.find((item: { post_mortem_id: string }) => item.post_mortem_id === id).status
}

describe('E8', () => {
  it.each([
    [drafting, 'published'],
    [drafting, 'drafting'],
    [published, 'drafting'],
    [published, 'published'],
  ] as const)(
    `${proves('§E8.path', '§E8.answer', '§states.post-mortem')} %s to %s`,
    async (post_mortem_id, status) => {
      const input = { post_mortem_id, status }
      const [arrived] = await service.receivedDuring(async () => {
        const { data, requestId } = await service.client().setPostMortemStatus(input)
        expect(data).toEqual({})
        expect(requestId).toMatch(/./)
      })
      expect(arrived).toMatchObject({ path: '/incident/post-mortem/status/reset', body: input })
      expect(await statusOf(post_mortem_id)).toBe(status)
      const { entries } = await service.control('audit')
      expect(entries).toMatchObject([{ operation: 'E8', request_id: arrived?.request_id, detail: input }])
      expect((await service.call('E8', input)).json.data).toEqual({})
    },
  )

  it(`${proves('§states.post-mortem')} back and forth`, async () => {
    const client = service.client()
    for (const status of ['published', 'drafting', 'published'] as const) {
      await client.setPostMortemStatus({ post_mortem_id: drafting, status })
      expect(await statusOf(drafting)).toBe(status)
    }
  })

  it.each([
    ['sandbox-owner', drafting, 'OK'],
    ['sandbox-member', drafting, 'OK'],
    ['sandbox-guest', drafting, 'AccessDenied'],
    ['sandbox-other', drafting, 'ResourceNotFound'],
    ['sandbox-other', foreign, 'OK'],
    ['sandbox-owner', 'nothing', 'ResourceNotFound'],
  ])(`${proves('§E8.permission')} %s, %s: %s`, async (key, post_mortem_id, outcome) => {
    const call = service.through('E8', { post_mortem_id, status: 'published' }, key)
    if (outcome === 'OK') expect((await call).data).toEqual({})
    else {
      expect(await failureOf(call)).toMatchObject({ code: outcome })
      expect(await statusOf(drafting)).toBe('drafting')
      expect((await service.control('audit')).entries).toEqual([])
    }
  })
})
