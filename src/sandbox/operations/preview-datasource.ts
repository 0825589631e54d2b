import type { PreviewDatasourceInput } from '../../api/operations/index.ts'
import type { ReceivedCall, Runtime } from '../call.ts'
import { findDatasource } from '../datasources.ts'
import { type HandledOutcome, refuseField, refuseMissing } from '../outcome.ts'

/** E5: the datasource's own answer, as it is. */
export function previewDatasource(
  { body, caller }: ReceivedCall<PreviewDatasourceInput>,
  { clock }: Runtime,
): HandledOutcome {
  const datasource = findDatasource(caller.accountId, body.ds_name)
  if (datasource === undefined) return refuseMissing('ds_name')
  if (datasource.type !== body.ds_type) {
    return refuseField(
      'ds_type',
      `${datasource.name} is of type ${datasource.type}`,
      `${datasource.name} 的类型是 ${datasource.type}`,
    )
  }
  return datasource.query({
    expr: body.expr,
    atMs: clock.now() - (body.delay_seconds ?? 0) * 1000,
    args: body.args ?? {},
  })
}
