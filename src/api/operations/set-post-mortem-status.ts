import { usualTimeoutMs } from '../../core/action.ts'
import { closed, nonEmpty, string } from '../../core/write-schema.ts'
import type { Operation } from './operation.ts'

export interface SetPostMortemStatusInput {
  readonly post_mortem_id: string
  readonly status: 'drafting' | 'published'
}

export type SetPostMortemStatusOutput = Readonly<Record<string, never>>

/** E8. Source: the API document, "E8 Update post-mortem status"; the name of the draft state: the service notes. */
export const setPostMortemStatus: Operation<SetPostMortemStatusInput, SetPostMortemStatusOutput> = {
  id: 'E8',
  name: 'incident/post-mortem/status/reset',
  summary: 'Set a post-mortem to draft or published',
  safety: 'idempotent',
  permission: 'Incident management (on-call)',
  limit: { per: 'account', perSecond: 50, perMinute: 1000 },
  findOut:
    'Look at the status of the post-mortem in the console of the service. "retry" sets the same status again, which is safe unless another user has changed it since.',
  answer: 'json',
  defaultTimeoutMs: usualTimeoutMs,
  input: closed(['post_mortem_id', 'status'], {
    post_mortem_id: nonEmpty('The post-mortem.'),
    status: string('The state to set.', { enum: ['drafting', 'published'], examples: ['published'] }),
  }),
  normalize: (data) => data ?? {},
  output: { type: 'object', properties: {} },
}
