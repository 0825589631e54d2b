import { type InputProblem, usualTimeoutMs } from '../../core/action.ts'
import { boolean, closed, integer, nonEmpty, string } from '../../core/write-schema.ts'
import type { Operation } from './operation.ts'
import {
  type Alerting,
  alertingSchema,
  type Links,
  linksSchema,
  type RumApplicationType,
  rumApplicationTypes,
  type Tracing,
  tracingSchema,
} from './rum-application.ts'

export interface CreateApplicationInput {
  /** 1–40 characters. */
  readonly application_name: string
  readonly type: RumApplicationType
  readonly team_id: number
  readonly is_private?: boolean
  readonly no_ip?: boolean
  readonly no_geo?: boolean
  readonly alerting?: Alerting
  /** APM trace integration, under the document's name. */
  readonly 'the service'?: Tracing
  /** APM trace integration, under the wire's name. */
  readonly tracing?: Tracing
  readonly links?: Links
}

export interface CreateApplicationOutput {
  readonly application_id: string
  readonly application_name: string
  /** Initialises the RUM SDK; masked in logs. */
  readonly client_token: string
}

/** E2. Source: the API document, "E2 Create RUM application". */
export const createApplication: Operation<CreateApplicationInput, CreateApplicationOutput> = {
  id: 'E2',
  name: 'rum/application/create',
  summary: 'Create a RUM application',
  safety: 'create',
  permission: 'Application management (rum)',
  limit: { per: 'account', perSecond: 50, perMinute: 1000 },
  answer: 'json',
  defaultTimeoutMs: usualTimeoutMs,
  findOut:
    'Look in the console of the service for an application with this application_name. With its id "opsbook call rum/application/infos -i application_ids=[ID]" shows what later steps may read of it.',
  sensitiveOutput: ['client_token'],
  input: closed(['application_name', 'type', 'team_id'], {
    application_name: nonEmpty('Name of the application, 1 to 40 characters.', {
      maxLength: 40,
      examples: ['checkout-web'],
    }),
    type: nonEmpty('Platform of the application.', {
      knownValues: rumApplicationTypes,
      examples: ['browser'],
    }),
    team_id: integer('Owning team.', { minimum: 0, maximum: Number.MAX_SAFE_INTEGER, examples: [1] }),
    is_private: boolean('Only members of the team have access.'),
    no_ip: boolean('Do not collect IP addresses.'),
    no_geo: boolean('Do not infer the location.'),
    alerting: alertingSchema,
    'the service': { ...tracingSchema, description: 'The same as `tracing`; give one of the two.' },
    tracing: tracingSchema,
    links: linksSchema,
  }),
  check(input) {
    const problems: InputProblem[] = []
    if (input.tracing !== undefined && input['the service'] !== undefined) {
      problems.push({
        path: 'tracing',
        message: 'and "the service" are two names of one field; give one of them',
      })
    }
    return problems
  },
  output: {
    type: 'object',
    required: ['application_id', 'application_name', 'client_token'],
    properties: {
      application_id: string('Id of the new application.'),
      application_name: string('Its name.'),
      client_token: string('Initialises the RUM SDK.'),
    },
  },
}
