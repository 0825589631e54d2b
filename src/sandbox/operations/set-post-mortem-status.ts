import type { SetPostMortemStatusInput } from '../../api/operations/index.ts'
import { type ReceivedCall, type Runtime, recordChange } from '../call.ts'
import { type HandledOutcome, refuseMissing } from '../outcome.ts'

/** E8: both directions, from any state. */
export function setPostMortemStatus(
  call: ReceivedCall<SetPostMortemStatusInput>,
  runtime: Runtime,
): HandledOutcome {
  const { body, caller } = call
  const postMortem = runtime.world.postMortems.get(body.post_mortem_id)
  if (postMortem?.account_id !== caller.accountId) return refuseMissing('post_mortem_id')
  const status = body.status === 'published' ? 'published' : 'drafting'
  runtime.world.putPostMortem({ ...postMortem, status })
  recordChange(call, runtime, 'E8', { post_mortem_id: body.post_mortem_id, status })
  return { kind: 'data', data: {} }
}
