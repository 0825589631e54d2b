import { Client, Connection } from '@temporalio/client'
import {
  decodeFromPayloadsAtIndex,
  decodeOptionalFailureToOptionalError,
  encodeErrorToFailure,
  encodeToPayloads,
} from '@temporalio/common/lib/internal-non-workflow/index.js'
import { expect, it } from 'vitest'

// The client uses parts of the SDK that it does not promise to keep. An update that moves one fails here.
it('the SDK still has the internal parts that are used of it', async () => {
  const { loadedDataConverter } = new Client({ connection: Connection.lazy() }).options
  const payloads = await encodeToPayloads(loadedDataConverter, { n: 1 })
  expect(await decodeFromPayloadsAtIndex(loadedDataConverter, 0, payloads)).toEqual({ n: 1 })
  const failure = await encodeErrorToFailure(loadedDataConverter, new Error('broken'))
  expect(await decodeOptionalFailureToOptionalError(loadedDataConverter, failure)).toMatchObject({
    message: 'broken',
  })
})
