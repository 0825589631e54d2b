import { usualTimeoutMs } from '../../core/action.ts'
import { isJsonObject } from '../../core/json.ts'
import { array, boolean, closed, integer, string } from '../../core/write-schema.ts'
import type { Operation } from './operation.ts'
import { type RumApplication, withBothTracingNames } from './rum-application.ts'

export interface GetApplicationsInput {
  /** Any number; 200 go in one call. */
  readonly application_ids: readonly string[]
}

export interface GetApplicationsOutput {
  readonly items: readonly RumApplication[]
}

/** E3. Source: the API document, "E3 Batch get application details". */
export const getApplications: Operation<GetApplicationsInput, GetApplicationsOutput> = {
  id: 'E3',
  name: 'rum/application/infos',
  summary: 'Look RUM applications up by id',
  safety: 'read',
  permission: 'Any valid key',
  limit: { per: 'account', perSecond: 50, perMinute: 1000 },
  answer: 'json',
  defaultTimeoutMs: usualTimeoutMs,
  sensitiveOutput: ['items.*.client_token'],
  batch: {
    argument: 'application_ids',
    size: 200,
    results: 'items',
    isPositional: false,
    itemKey: 'application_id',
  },
  input: closed(['application_ids'], {
    application_ids: array(
      'Ids of the applications; any number, 200 go in one call.',
      { type: 'string', minLength: 1 },
      { minItems: 1 },
    ),
  }),
  normalize(data) {
    if (!isJsonObject(data) || !Array.isArray(data['items'])) return data
    return { ...data, items: data['items'].map(withBothTracingNames) }
  },
  output: {
    type: 'object',
    required: ['items'],
    properties: {
      items: array('The applications that were found.', {
        type: 'object',
        required: ['application_id'],
        properties: {
          account_id: { type: ['integer', 'string'], description: 'Account that owns it.' },
          application_id: string('Its id.'),
          application_name: string('Its name.'),
          type: string('Its platform.'),
          client_token: string('Initialises the RUM SDK.'),
          team_id: { type: ['integer', 'string'], description: 'Team that owns it.' },
          is_private: boolean('Only members of the team have access.'),
          no_ip: boolean('IP addresses are not collected.'),
          no_geo: boolean('The location is not inferred.'),
          alerting: { type: 'object', description: 'As it was given when the application was made.' },
          tracing: { type: 'object', description: 'APM trace integration.' },
          'the service': { type: 'object', description: 'The same under its other name.' },
          status: string('Such as enabled.'),
          created_by: { type: ['integer', 'string'], description: 'Id of a user.' },
          updated_by: { type: ['integer', 'string'], description: 'Id of a user.' },
          created_at: integer('Unix time in milliseconds.'),
          updated_at: integer('Unix time in milliseconds.'),
          links: { type: 'object', description: 'Links to other systems.' },
        },
      }),
    },
  },
}
