import type { ListIngestionRulesInput } from '../../api/operations/index.ts'
import { isVisibleTo } from '../applications.ts'
import type { Call, Runtime } from '../call.ts'
import { type Outcome, refuse, refuseMissing } from '../outcome.ts'

/** E9: all rules of an application that the caller may read. */
export function listIngestionRules(
  { body, caller }: Call<ListIngestionRulesInput>,
  { world }: Runtime,
): Outcome {
  const application = world.applications.get(body.application_id)
  if (application?.account_id !== caller.accountId) return refuseMissing('application_id')
  if (!caller.permissions.includes('rum') || !isVisibleTo(caller, application)) return refuse('AccessDenied')
  return { kind: 'data', data: { items: application.ingestionRules } }
}
