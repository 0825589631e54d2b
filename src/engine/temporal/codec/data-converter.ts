import {
  DefaultFailureConverter,
  defaultPayloadConverter,
  type FailureConverter,
  type LoadedDataConverter,
} from '@temporalio/common'
import { type CodecOptions, createCodec } from './create-codec.ts'
import { keysVariable, readPayloadKeys } from './read-keys.ts'

/**
 * How values go to the server and come from it. The keys are those of the environment; where there are any, what failures
 * say goes the way of values: by itself it would stand beside them, for all to read.
 */
export function dataConverterFor(onUnreadable: CodecOptions['onUnreadable']): LoadedDataConverter {
  const keys = readPayloadKeys(process.env[keysVariable])
  return {
    payloadConverter: defaultPayloadConverter,
    failureConverter: new DefaultFailureConverter({ encodeCommonAttributes: keys.length > 0 }),
    payloadCodecs: [createCodec({ keys, onUnreadable })],
  }
}

/** Whether failures that are written so show nothing of what they say. */
export function hidesMessages({ failureConverter }: Pick<LoadedDataConverter, 'failureConverter'>): boolean {
  return isDefault(failureConverter) && failureConverter.options.encodeCommonAttributes
}

function isDefault(converter: FailureConverter): converter is DefaultFailureConverter {
  return converter instanceof DefaultFailureConverter
}
