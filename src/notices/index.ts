/** Messages that tell people outside of what a run needs them for: what they say, and how they get there. */
export { composeNotices, type NoticeTarget } from './compose-notices.ts'
export { createSender } from './create-sender.ts'
export { type Delivery, type DeliveryOptions, startDelivery } from './deliver-notices.ts'
export { retryPauseMs } from './retry-pause.ts'
