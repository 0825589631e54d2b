import { expect, inject, it } from 'vitest'
import { findServer } from '../../../support/temporal-server.ts'

it('takes a server that runs', async () => {
  const address = inject('temporalAddress')
  const environment = { TEMPORAL_ADDRESS: address }
  expect(await findServer({ environment })).toEqual({ kind: 'running', address })
})
