import { expect, test } from 'vitest'
import { nearest } from '../../src/core/text/nearest.ts'

const cases: readonly (readonly [name: string, names: readonly string[], near: string | undefined])[] = [
  ['-', ['d'], undefined],
  ['x', ['a', 'b'], undefined],
  ['zz', ['n', 'on'], undefined],
  ['m=c', ['a'], undefined],
  ['abc', ['xyz'], undefined],
  ['ulr', ['url'], 'url'],
  ['HOST', ['host'], 'host'],
  ['hsot', ['host', 'port'], 'host'],
  ['hots', ['hosts', 'host'], 'hosts'],
  ['host', ['hots', 'hosts'], 'hosts'],
  ['id', ['ids'], 'ids'],
  ['tols', ['tools'], 'tools'],
  ['check-hst', ['check-host', 'check-hosts'], 'check-host'],
  ['catalogue', ['catalog'], 'catalog'],
  ['diagnose', ['diagnose_host', 'look'], 'diagnose_host'],
  ['diagnose', ['diagnose_host', 'diagnose_disk'], undefined],
]

test.each(cases)('%j of %j: %j', (name, names, near) => {
  expect(nearest(name, names)).toBe(near)
})
