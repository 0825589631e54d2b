import type { DataConverter } from '@temporalio/common'
import { type CodecOptions, createCodec } from './create-codec.ts'
import { keysVariable, readPayloadKeys } from './read-keys.ts'

/** How values go to the server and come from it. The keys are those of the environment. */
export function dataConverterFor(onUnreadable: CodecOptions['onUnreadable']): DataConverter {
  const keys = readPayloadKeys(process.env[keysVariable])
  return { payloadCodecs: [createCodec({ keys, onUnreadable })] }
}
