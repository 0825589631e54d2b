import { usualTimeoutMs } from '../../core/action.ts'
import { closed, nonEmpty } from '../../core/write-schema.ts'
import type { Operation } from './operation.ts'

export interface DisableRuleInput {
  readonly application_id: string
  readonly rule_id: string
}

export type DisableRuleOutput = Readonly<Record<string, never>>

/** E7. Source: the API document, "E7 Disable issue preset-severity rule". */
export const disableRule: Operation<DisableRuleInput, DisableRuleOutput> = {
  id: 'E7',
  name: 'rum/issue/preset-severity/rules/disable',
  summary: 'Switch an issue preset-severity rule off, without deleting it',
  safety: 'idempotent',
  permission: 'Write permission on the application',
  limit: { per: 'account', perSecond: 20, perMinute: 300 },
  findOut:
    'Look in the console of the service whether the rule is switched off. Switching it off twice is switching it off once: "retry" does no harm.',
  answer: 'json',
  defaultTimeoutMs: usualTimeoutMs,
  input: closed(['application_id', 'rule_id'], {
    application_id: nonEmpty('Application the rule belongs to.'),
    rule_id: nonEmpty('The rule.'),
  }),
  // The document answers with no data, newer services with an empty object.
  normalize: (data) => data ?? {},
  output: { type: 'object', properties: {} },
}
