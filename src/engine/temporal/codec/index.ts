export { type CodecOptions, createCodec } from './create-codec.ts'
export {
  type PayloadKey,
  plainAccepted,
  plainVariable,
  protection,
  readPayloadKeys,
} from './read-keys.ts'
