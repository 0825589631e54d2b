export { createCodec } from './create-codec.ts'
export {
  keysVariable,
  type PayloadKey,
  plainAccepted,
  plainVariable,
  protection,
  readPayloadKeys,
} from './read-keys.ts'
export { unreadable, whyUnreadable } from './unreadable.ts'
