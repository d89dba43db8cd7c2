// The table of the studio's pages and forms, for servePages. Each line leads to the folder of its subject.

import { type PageHandler, type PageRoutes, takingFiles } from "../ui/serve-pages.ts";
import { changePassword, changePreferences, endSession, logOutEverywhere, showAccount } from "./account/account.ts";
import { createApiKey, revokeApiKey, showApiKeys } from "./account/api-keys.ts";
import { changeApp, deleteApp, registerApp, rotateAppSecret, showApp, showApps } from "./account/apps.ts";
import { controlAlerts, decideAlert, sendTestAlert, showAlerts, showDock, showDockQueue, showQueue } from "./alerts/alerts.ts";
import { leadOverlay } from "./alerts/connected-overlays.ts";
import { showModerate, showModerateScript } from "./alerts/moderate.ts";
import { replayAlert, showReplay } from "./alerts/replay.ts";
import { readScript } from "./components/scripts.ts";
import { showScene } from "./components/stage.ts";
import { deleteFile, listen, moveVariation, showDesigner, testVariation, uploadFile } from "./designer/designer.ts";
import { attachFile, previewVariation, saveVariation, showVariation } from "./designer/variation.ts";
import { showDonation } from "./donations/donation.ts";
import { blockName, saveNote, showDonator } from "./donations/donator.ts";
import { continueSum, exportHistory, showHistory } from "./donations/history.ts";
import { showMoney, showMoneyNow } from "./donations/money.ts";
import { showVoid, voidDonation } from "./donations/void.ts";
import { showHelp } from "./help.ts";
import { hideSteps } from "./home/first-steps.ts";
import { showHome, showHomeNow } from "./home/home.ts";
import { checkImport, showImportResult, showImports, showUndoImport, startImport, undoImport } from "./imports/imports.ts";
import { kitPages } from "./kit.ts";
import { showOverall } from "./overall.ts";
import { changeOverlaySound, createOverlayKey, revokeOverlayKey, showOverlay } from "./overlay/overlay.ts";
import { changeWidgetSettings, createWidgetLink, showWidget, showWidgetSettings } from "./overlay/widget.ts";
import { paths } from "./paths.ts";
import { changeRetention, checkErasure, eraseDonator, showErasure, showPrivacy } from "./privacy/privacy.ts";
import { moveGoal, saveGoal, showGoals } from "./settings/goals.ts";
import { changeSettings, showSettings } from "./settings/settings.ts";
import type { StudioDeps } from "./studio-deps.ts";
import { adjustTimer, changeTimerRules, controlTimer, showTimer, showTimerNow, startTimer } from "./timer/timer.ts";
import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  enableWebhook,
  recover,
  redeliver,
  rotateSecret,
  showWebhook,
  showWebhooks,
  testWebhook,
} from "./webhooks/webhooks.ts";

export function studioPages(deps: StudioDeps): PageRoutes {
  return {
    [`GET ${paths.home}`]: showHome(deps),
    [`GET ${paths.homeNow}`]: showHomeNow(deps),
    [`POST ${paths.homeSteps}`]: hideSteps(deps),
    [`GET ${paths.alerts}`]: showAlerts(deps),
    [`GET ${paths.queue}`]: showQueue(deps),
    [`GET ${paths.dock}`]: showDock(deps),
    [`GET ${paths.dockQueue}`]: showDockQueue(deps),
    [`GET ${paths.overall}`]: showOverall(deps),
    [`POST ${paths.control}`]: controlAlerts(deps),
    [`GET ${paths.replay}`]: showReplay(deps),
    [`POST ${paths.replay}`]: replayAlert(deps),
    [`POST ${paths.decide}`]: decideAlert(deps),
    [`POST ${paths.lead}`]: leadOverlay(deps),
    [`GET ${paths.void}`]: showVoid(deps),
    [`POST ${paths.void}`]: voidDonation(deps),
    [`POST ${paths.test}`]: sendTestAlert(deps),
    [`GET ${paths.money}`]: showMoney(deps),
    [`GET ${paths.moneyNow}`]: showMoneyNow(deps),
    [`GET ${paths.history}`]: showHistory(deps),
    [`GET ${paths.historySum}`]: continueSum(deps),
    [`GET ${paths.exportHistory}`]: exportHistory(deps),
    [`GET ${paths.donation}`]: showDonation(deps),
    [`GET ${paths.donator}`]: showDonator(deps),
    [`POST ${paths.saveNote}`]: saveNote(deps),
    [`POST ${paths.blockName}`]: blockName(deps),
    [`GET ${paths.overlay}`]: showOverlay(deps),
    [`POST ${paths.overlay}`]: createOverlayKey(deps),
    [`POST ${paths.revokeOverlayKey}`]: revokeOverlayKey(deps),
    [`POST ${paths.overlaySound}`]: changeOverlaySound(deps),
    [`GET ${paths.designer}`]: showDesigner(deps),
    [`GET ${paths.variation}`]: showVariation(deps),
    [`POST ${paths.variation}`]: saveVariation(deps),
    [`POST ${paths.previewVariation}`]: previewVariation(deps),
    [`POST ${paths.moveVariation}`]: moveVariation(deps),
    [`POST ${paths.testVariation}`]: testVariation(deps),
    [`GET ${paths.listen}`]: listen(deps),
    [`POST ${paths.uploadFile}`]: takingFiles(uploadFile(deps), "large"),
    [`POST ${paths.attachFile}`]: takingFiles(attachFile(deps), "large"),
    [`POST ${paths.deleteFile}`]: deleteFile(deps),
    [`GET ${paths.widget}`]: showWidget(deps),
    [`POST ${paths.widget}`]: createWidgetLink(deps),
    [`GET ${paths.widgetSettings}`]: showWidgetSettings(deps),
    [`POST ${paths.widgetSettings}`]: changeWidgetSettings(deps),
    [`GET ${paths.timer}`]: showTimer(deps),
    [`GET ${paths.timerNow}`]: showTimerNow(deps),
    [`POST ${paths.controlTimer}`]: controlTimer(deps),
    [`POST ${paths.startTimer}`]: startTimer(deps),
    [`POST ${paths.adjustTimer}`]: adjustTimer(deps),
    [`POST ${paths.timerRules}`]: changeTimerRules(deps),
    [`GET ${paths.settings}`]: showSettings(deps),
    [`POST ${paths.settings}`]: changeSettings(deps),
    [`GET ${paths.goals}`]: showGoals(deps),
    [`POST ${paths.goals}`]: saveGoal(deps),
    [`POST ${paths.moveGoal}`]: moveGoal(deps),
    [`GET ${paths.keys}`]: showApiKeys(deps),
    [`POST ${paths.keys}`]: createApiKey(deps),
    [`POST ${paths.revokeKey}`]: revokeApiKey(deps),
    [`GET ${paths.webhooks}`]: showWebhooks(deps),
    [`POST ${paths.webhooks}`]: createWebhook(deps),
    [`GET ${paths.webhook}`]: showWebhook(deps),
    [`POST ${paths.changeWebhook}`]: changeWebhook(deps),
    [`POST ${paths.enableWebhook}`]: enableWebhook(deps),
    [`POST ${paths.rotateSecret}`]: rotateSecret(deps),
    [`POST ${paths.deleteWebhook}`]: deleteWebhook(deps),
    [`POST ${paths.testWebhook}`]: testWebhook(deps),
    [`POST ${paths.redeliver}`]: redeliver(deps),
    [`POST ${paths.recover}`]: recover(deps),
    [`GET ${paths.apps}`]: showApps(deps),
    [`POST ${paths.apps}`]: registerApp(deps),
    [`GET ${paths.app}`]: showApp(deps),
    [`POST ${paths.changeApp}`]: changeApp(deps),
    [`POST ${paths.rotateAppSecret}`]: rotateAppSecret(deps),
    [`POST ${paths.deleteApp}`]: deleteApp(deps),
    [`GET ${paths.imports}`]: showImports(deps),
    [`POST ${paths.checkImport}`]: takingFiles(checkImport(deps)),
    [`POST ${paths.startImport}`]: takingFiles(startImport(deps)),
    [`GET ${paths.importResult}`]: showImportResult(deps),
    [`GET ${paths.undoImport}`]: showUndoImport(deps),
    [`POST ${paths.undoImport}`]: undoImport(deps),
    [`GET ${paths.privacy}`]: showPrivacy(deps),
    [`POST ${paths.checkErasure}`]: checkErasure(deps),
    [`POST ${paths.erase}`]: eraseDonator(deps),
    [`GET ${paths.erasure}`]: showErasure(deps),
    [`POST ${paths.retention}`]: changeRetention(deps),
    [`GET ${paths.account}`]: showAccount(deps),
    [`POST ${paths.password}`]: changePassword(deps),
    [`POST ${paths.preferences}`]: changePreferences(deps),
    [`POST ${paths.endSession}`]: endSession(deps),
    [`POST ${paths.logOutEverywhere}`]: logOutEverywhere(deps),
    [`GET ${paths.help}`]: showHelp(deps),
    ...kitPages(deps),
    [`GET ${paths.script}`]: showScript,
    [`GET ${paths.scene}`]: showScene,
    [`GET ${paths.moderate}`]: showModerate(deps),
    [`GET ${paths.moderateScript}`]: showModerateScript,
  };
}

/** Needs no login, because the script is the same for everybody and contains nothing secret. */
const showScript: PageHandler = async () => ({ status: 200, javascript: script });

const script = readScript(new URL("studio.js", import.meta.url));
