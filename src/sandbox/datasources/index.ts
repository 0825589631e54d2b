/** The datasources that E5 can ask, by account and name. */
import { mainAccount, otherAccount } from '../keys.ts'
import type { Datasource } from './datasource.ts'
import { queryLoki } from './loki.ts'
import { queryPrometheus } from './prometheus.ts'

export const datasources: readonly Datasource[] = [
  { name: 'prom-main', type: 'prometheus', accountId: mainAccount, query: queryPrometheus },
  { name: 'loki-main', type: 'loki', accountId: mainAccount, query: queryLoki },
  { name: 'prom-other', type: 'prometheus', accountId: otherAccount, query: queryPrometheus },
]

export function findDatasource(accountId: number, name: string): Datasource | undefined {
  return datasources.find((item) => item.accountId === accountId && item.name === name)
}
