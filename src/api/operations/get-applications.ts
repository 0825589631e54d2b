import { isJsonObject } from '../../core/json.ts'
import { type Operation, shortTimeoutMs } from './operation.ts'
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
  defaultTimeoutMs: shortTimeoutMs,
  sensitiveOutput: ['items.*.client_token'],
  batch: {
    argument: 'application_ids',
    size: 200,
    results: 'items',
    isPositional: false,
    itemKey: 'application_id',
  },
  input: {
    type: 'object',
    required: ['application_ids'],
    additionalProperties: false,
    properties: {
      application_ids: {
        type: 'array',
        minItems: 1,
        items: { type: 'string', minLength: 1 },
        description: 'Ids of the applications; any number, 200 go in one call.',
      },
    },
  },
  normalize(data) {
    if (!isJsonObject(data) || !Array.isArray(data['items'])) return data
    return { ...data, items: data['items'].map(withBothTracingNames) }
  },
  output: {
    type: 'object',
    required: ['items'],
    properties: {
      items: {
        type: 'array',
        items: {
          type: 'object',
          required: ['application_id'],
          properties: {
            account_id: { type: ['integer', 'string'] },
            application_id: { type: 'string' },
            application_name: { type: 'string' },
            type: { type: 'string' },
            client_token: { type: 'string' },
            team_id: { type: ['integer', 'string'] },
            is_private: { type: 'boolean' },
            no_ip: { type: 'boolean' },
            no_geo: { type: 'boolean' },
            alerting: { type: 'object' },
            tracing: { type: 'object' },
            'the service': { type: 'object' },
            status: { type: 'string' },
            created_by: { type: ['integer', 'string'] },
            updated_by: { type: ['integer', 'string'] },
            created_at: { type: 'integer', description: 'Unix time in milliseconds.' },
            updated_at: { type: 'integer', description: 'Unix time in milliseconds.' },
            links: { type: 'object' },
          },
        },
      },
    },
  },
}
