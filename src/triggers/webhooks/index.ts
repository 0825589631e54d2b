export { createAuthenticate } from './authenticate.ts'
export type { Hook, HookAuth } from './read-delivery.ts'
export { mapBody, parseBody } from './read-delivery.ts'
export { signDelivery } from './sign-delivery.ts'
