import { isJsonObject, type JsonValue } from '../../core/json.ts'
import { byName, closed, integer, nonEmpty } from '../../core/write-schema.ts'
import type { Operation, OperationFailure } from './operation.ts'

export interface PreviewDatasourceInput {
  /** Type of the datasource, such as `prometheus` or `loki`. */
  readonly ds_type: string
  /** Display name of the datasource. */
  readonly ds_name: string
  readonly expr: string
  /** Shifts the window back, in seconds. */
  readonly delay_seconds?: number
  /** Options of the datasource, such as `loki.limit`. */
  readonly args?: Readonly<Record<string, string>>
}

/** The datasource's own JSON; its shape depends on the type. */
export type PreviewDatasourceOutput = JsonValue

/** E5. Source: the API document, "E5 Synchronous datasource preview". */
export const previewDatasource: Operation<PreviewDatasourceInput, PreviewDatasourceOutput> = {
  id: 'E5',
  name: 'monit/preview/sync',
  summary: 'Run a datasource query and return its raw result',
  safety: 'read',
  permission: 'Any valid key',
  limit: { per: 'account', perSecond: 10, perMinute: 60 },
  answer: 'json',
  defaultTimeoutMs: 60_000,
  errors: ['QueryFailed'],
  input: closed(['ds_type', 'ds_name', 'expr'], {
    ds_type: nonEmpty('Type of the datasource; must match it.', { examples: ['prometheus', 'loki'] }),
    ds_name: nonEmpty('Name of the datasource.', { examples: ['prom-main'] }),
    expr: nonEmpty('The query.', { examples: ['up'] }),
    delay_seconds: integer('Shifts the window back, to let late data arrive.', {
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
    }),
    args: byName('Options of the datasource, such as loki.limit.', { type: 'string' }),
  }),
  failure: queryFailure,
  output: { description: "The datasource's raw result; its shape depends on the type." },
}

/**
 * Prometheus and Loki report `status: "error"` inside a success, with their own message in `error`. A proxy in front
 * of them may leave the fields out.
 */
function queryFailure(data: JsonValue): OperationFailure | undefined {
  if (!isJsonObject(data) || data['status'] !== 'error') return undefined
  const { error, errorType, message, msg } = data
  const inner = isJsonObject(error) ? [error['message'], error['msg'], error['reason'], error['type']] : []
  const said = [error, ...inner, message, msg, errorType].find(
    (text) => typeof text === 'string' && text !== '',
  )
  return {
    code: 'QueryFailed',
    message: typeof said === 'string' ? said : '',
    ...(typeof errorType === 'string' ? { details: { errorType } } : {}),
  }
}
