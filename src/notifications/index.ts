/** Notifications for people: what they say, and how they are delivered. */
export { composeNotices, type NoticeTarget } from './compose-notices.ts'
export { createNoticeSender } from './create-sender.ts'
export { type Delivery, type DeliveryOptions, startDelivery } from './deliver-notices.ts'
export { retryPauseMs } from './send-notice.ts'
