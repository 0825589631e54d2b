import type { DisableRuleInput } from '../../api/operations/index.ts'
import { belongsTo } from '../applications.ts'
import { recordChange } from '../audit.ts'
import type { Call, Runtime } from '../call.ts'
import { type Outcome, refuse, refuseMissing } from '../outcome.ts'

/** E7: the rule stays and is disabled; disabling it again changes nothing and is no error. */
export function disableRule(call: Call<DisableRuleInput>, runtime: Runtime): Outcome {
  const { body, caller } = call
  const application = runtime.world.applications.get(body.application_id)
  if (application?.account_id !== caller.accountId) return refuseMissing('application_id')
  if (!caller.permissions.includes('rum') || !belongsTo(caller, application)) return refuse('AccessDenied')
  if (!application.severityRules.some((rule) => rule.rule_id === body.rule_id))
    return refuseMissing('rule_id')
  runtime.world.putApplication({
    ...application,
    severityRules: application.severityRules.map((rule) =>
      rule.rule_id === body.rule_id ? { ...rule, status: 'disabled' } : rule,
    ),
  })
  recordChange(call, runtime, 'E7', { application_id: body.application_id, rule_id: body.rule_id })
  return { kind: 'data' }
}
