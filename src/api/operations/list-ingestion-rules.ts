import { usualTimeoutMs } from '../../core/action.ts'
import { array, closed, integer, nonEmpty, string } from '../../core/write-schema.ts'
import type { Operation } from './operation.ts'

export interface ListIngestionRulesInput {
  readonly application_id: string
}

export interface RuleCondition {
  /** Dotted path. */
  readonly key: string
  readonly oper: 'IN' | 'NOTIN' | (string & {})
  readonly vals: readonly string[]
}

export interface IngestionRule {
  readonly rule_id: string
  readonly rule_name: string
  readonly description: string
  /** The outer list is an "or", the inner ones an "and". Source: the service notes. */
  readonly filters: readonly (readonly RuleCondition[])[]
  readonly status: 'enabled' | 'disabled' | (string & {})
  /** Unix time in milliseconds. Source: the service notes. */
  readonly created_at: number
  /** Unix time in milliseconds. Source: the service notes. */
  readonly updated_at: number
}

export interface ListIngestionRulesOutput {
  readonly items: readonly IngestionRule[]
}

/** E9. Source: the API document, "E9 List error-ingestion rules". */
export const listIngestionRules: Operation<ListIngestionRulesInput, ListIngestionRulesOutput> = {
  id: 'E9',
  name: 'rum/error-ingestion/rules/list',
  summary: 'List the error-ingestion rules of an application',
  safety: 'read',
  permission: 'Read permission on the application',
  limit: { per: 'account', perSecond: 50, perMinute: 1000 },
  answer: 'json',
  defaultTimeoutMs: usualTimeoutMs,
  input: closed(['application_id'], {
    application_id: nonEmpty('The application.'),
  }),
  output: {
    type: 'object',
    required: ['items'],
    properties: {
      items: array('All rules of the application.', {
        type: 'object',
        required: ['rule_id'],
        properties: {
          rule_id: string('Id of the rule.'),
          rule_name: string('Its name.'),
          description: string('What it is for.'),
          filters: { type: 'array', description: 'Outer list: or. Inner lists: and.' },
          status: string('Such as enabled.'),
          created_at: integer('Unix time in milliseconds.'),
          updated_at: integer('Unix time in milliseconds.'),
        },
      }),
    },
  },
}
