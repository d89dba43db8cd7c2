// The names that columns have in the files of others: letters and digits alone, in lower case, without what is in brackets. Pure.

/** Names of a date. */
const dateNames: readonly string[] = [
  ...["donationdate", "transactiondate", "paymentdate", "dateutc", "date"],
  ...["วันที่ทำรายการ", "วันทำรายการ", "วันที่โอน", "วันที่โอนเงิน", "วันที่โดเนท", "วันที่บริจาค", "วันที่รายการ", "วันที่"],
  ...["дата", "datum", "fecha", "data"],
];

/** Names of a time of day, which are the whole time in a file without a column for the date. */
const timeNames: readonly string[] = [
  ...["time", "timeofday", "transactiontime", "เวลา", "เวลาทำรายการ", "เวลาที่ทำรายการ", "เวลาโอน", "เวลาที่โอน"],
  ...["uhrzeit", "heure", "hora", "ora", "время"],
];

/** Names of a column that may lack the family name: where that has a column of its own, both are the donator's name. */
export const givenNames: readonly string[] = [
  ...["name", "firstname", "givenname", "ชื่อ", "ชื่อจริง", "vorname", "prénom", "nombre", "nome", "имя"],
];

/** Columns that say yes or no, of a refund also its sum or its time: the donation was given back, and it was paid. */
export const refundNames: readonly string[] = [
  ...["refunded", "isrefunded", "refund", "canceled", "cancelled", "chargeback", "คืนเงิน", "ยกเลิก"],
  ...["amountrefunded", "refundedamount", "refundamount", "refundedat", "refunddate", "ยอดคืนเงิน", "ยอดเงินคืน", "วันที่คืนเงิน"],
];
export const paymentNames: readonly string[] = ["paid", "ispaid", "completed", "จ่ายแล้ว", "ชำระแล้ว"];

/** Columns of money that went out, beside one of money that came in: of banks, and of Ko-fi. */
export const outgoingNames: readonly string[] = [
  ...["given", "debit", "debits", "withdrawal", "withdrawals", "withdrawn", "paidout", "moneyout", "amountout", "spent"],
  ...["ถอน", "ถอนเงิน", "เงินถอน", "รายการถอน", "ยอดถอน", "เงินออก", "จำนวนเงินออก", "ยอดเงินออก", "จ่ายเงิน", "รายจ่าย", "หักบัญชี"],
];

/** Columns whose `-` says that the money went out. */
export const signNames: readonly string[] = ["sign", "+/-", "+-", "±", "เครื่องหมาย"];

/** Columns of a bank, and of Wise, that say whether the money came in. */
export const directionNames: readonly string[] = [
  ...["drcr", "crdr", "debitcredit", "creditdebit", "balanceimpact", "direction", "inout", "ฝากถอน", "ถอนฝาก"],
  ...["รับจ่าย", "เข้าออก", "รายรับรายจ่าย"],
  ...signNames,
];

/** Columns in which a bank says so among other things, such as `Type: Debit`. */
export const typeNames: readonly string[] = [
  ...["type", "transactiontype", "entrytype", "eventtype", "event", "donationtype", "ประเภท", "ประเภทรายการ", "ประเภทธุรกรรม"],
];

/**
 * The more exact name first. Ours, then those of Streamlabs, StreamElements, Ko-fi (`DateTime (UTC)`, `From`, `Received`), Stripe (`Created
 * date (UTC)`), Google Forms in Thai (`ประทับเวลา`), PayPal in its languages (`Gross`, `Brutto`, `Avant commission`), DonationAlerts (Latin and
 * Cyrillic), Thai banks, and what people write.
 */
export const columnNames = {
  createdAt: [
    ...["createdat", "datetime", "dateandtime", "datecreated", "createdate"],
    ...["timestamp", "transactiondatetime", "donatedat", "donatedon", "paidat"],
    ...["createddate", "created", "createdon", "receivedon", "datereceived", "when"],
    ...["ประทับเวลา", "วันที่และเวลา", "วันเวลา", "วันที่เวลา", "วันและเวลา", "วันเวลาที่โดเนท"],
    ...["วันเวลาที่ทำรายการ", "วันเวลาที่โอน", "датаивремя", "датавремя", "датасоздания"],
    ...dateNames,
    ...timeNames,
  ],
  donatorName: [
    ...["donator", "donatorname", "donor", "donorname", "supporter", "supportername", "customername"],
    ...["ชื่อผู้โดเนท", "ผู้โดเนท", "ชื่อผู้บริจาค", "ผู้บริจาค", "ชื่อผู้สนับสนุน", "ผู้สนับสนุน", "ชื่อลูกค้า"],
    ...["name", "username", "userusername", "user", "from"], // beside those above "name" may be that of a product
    ...["fromname", "displayname", "sender", "sendername", "sentby", "donatedby", "paidby", "givenby", "yourname"],
    ...["contributor", "viewer", "viewername", "payer", "payername", "nick", "nickname", "fullname", "ชื่อ"],
    ...["ชื่อผู้โอน", "ผู้โอน", "ชื่อผู้โอนเงิน", "ผู้โอนเงิน", "ชื่อบัญชีผู้โอน", "ชื่อผู้ส่ง", "ผู้ส่ง", "ชื่อคนโอน", "ชื่อคนโดเนท", "โอนจาก", "จาก"],
    ...["ชื่อนามสกุล", "ชื่อสกุล", "ชื่อและนามสกุล", "ชื่อเล่น", "ผู้ให้"],
    ...["ชื่อผู้ใช้", "ชื่อผู้ชม", "ชื่อคนดู", "คนโดเนท", "โดเนทจาก", "จากใคร", "ชื่อผู้จ่าย", "ชื่อผู้ชำระเงิน", "ชื่อในเกม", "ชื่อในแชท", "ชื่อในไลฟ์", "นามแฝง"],
    ...["имя", "имяотправителя", "отправитель", "никнейм", "донатер", "имяпользователя", "nombre", "nom", "nome"],
    ...givenNames,
  ],
  amount: [
    ...["amount", "donationamount", "donation", "tipamount", "tip", "gross"],
    ...["grossamount", "received", "amountreceived", "value", "amountsource"],
    ...["จำนวนเงินเข้า", "เงินเข้า", "ยอดเงินเข้า", "จำนวนเงิน", "จำนวนเงินที่โอน", "จำนวนเงินโอน", "จำนวนเงินที่ได้รับ", "ยอดโดเนท", "ยอดบริจาค"],
    ...["ยอดโอน", "เงินฝาก", "ฝาก", "ฝากเงิน", "รายการฝาก", "รับเงิน", "รายรับ"], // beside them "ยอดเงิน" is the balance
    ...["ยอดเงิน", "ยอด", "จำนวน", "deposit", "deposits", "credit", "moneyin", "paidin", "amountpaid", "total"],
    ...["totalamount", "paidamount", "paymentamount", "transactionamount", "donatedamount", "amountdonated", "contribution"],
    ...["contributionamount", "sum"],
    ...["จำนวนเงินโดเนท", "จำนวนเงินบริจาค", "จำนวนเงินสนับสนุน", "ยอดเงินโดเนท", "ยอดเงินบริจาค", "ยอดสนับสนุน", "ยอดเงินโอน", "ยอดเงินที่โอน"],
    ...["เงินโดเนท", "เงินบริจาค", "เงิน", "มูลค่า", "ยอดรวม"],
    ...["сумма", "суммадоната", "brutto", "avantcommission", "bruto", "lordo", "betrag", "montant", "importe", "importo"],
  ],
  currency: ["currency", "currencycode", "สกุลเงิน", "валюта", "währung", "devise", "divisa", "moneda", "valuta", "moeda"],
  message: [
    ...["message", "donationmessage", "comment", "comments", "note", "notes", "memo", "remark", "remarks"],
    ...["messagefromdonor", "text", "คำอวยพร", "คอมเมนท์", "คอมเม้นท์", "คอมเม้น", "ความเห็น", "ฝากข้อความ"],
    ...["ข้อความ", "คอมเมนต์", "ความคิดเห็น", "หมายเหตุ", "บันทึกช่วยจำ", "บันทึก", "โน้ต"],
    ...["сообщение", "комментарий", "hinweis", "mitteilung", "nachricht", "messaggio", "mensagem", "remarque", "nota", "mensaje"],
  ],
  identifier: [
    ...["identifier", "email", "donatoremail", "useremail", "fromemailaddress", "fromemail", "emailaddress", "payeremail", "senderemail"],
    ...["รหัสผู้โดเนท", "ตัวระบุผู้โดเนท", "ตัวระบุ", "อีเมล", "อีเมลผู้โอน"],
    ...["absenderemailadresse", "deladresseemail", "adresseemaildelexpéditeur", "correoelectrónicodelremitente", "indirizzoemailmittente"],
  ],
  idempotencyKey: [
    ...["idempotencykey", "คีย์กันซ้ำ", "transactionid", "paymentid", "tipid", "donationid", "รหัสโดเนท", "id"],
    ...["รหัสรายการ", "เลขที่รายการ", "หมายเลขรายการ", "transaktionscode", "numérodetransaction", "iddetransacción", "codicetransazione"],
  ],
  familyName: [
    ...["lastname", "familyname", "surname", "นามสกุล", "สกุล"],
    ...["nachname", "nomdefamille", "apellido", "apellidos", "cognome", "фамилия"],
  ],
  isAnonymous: [
    ...["anonymous", "isanonymous", "anonymousdonation", "donatedanonymously", "donateanonymously", "donoranonymous", "hidename"],
    ...["ไม่ประสงค์ออกนาม", "ไม่ประสงค์ออกชื่อ", "ไม่แสดงชื่อ", "ปกปิดชื่อ", "ซ่อนชื่อ", "anonym", "anonyme", "anónimo", "anonimo", "анонимно"],
  ],
  timeOfDay: timeNames,
  timeZone: ["timezone", "tz", "utcoffset", "เขตเวลา", "โซนเวลา", "zeitzone", "fuseauhoraire", "zonahoraria", "fusoorario", "часовойпояс"],
  status: [
    ...["status", "paymentstatus", "transactionstatus", "donationstatus", "สถานะ", "สถานะการชำระเงิน", "สถานะรายการ", "สถานะการโอน"],
    ...["estado", "état", "stato", "статус"],
    ...refundNames,
    ...paymentNames,
    ...directionNames,
  ],
  channel: ["channel", "ช่องทาง"],
  source: ["source", "ที่มา"],
  donationId: [] as string[],
  voidedAt: ["voidedat", "เป็นโมฆะเมื่อ"],
};

const donator = "(?:donor|donator|supporter|contributor|tipper|gifter|patron|backer|buyer|customer|payer|sender|member|viewer)s?";

/** What other names of columns are like, where none of those above is there. */
export const columnPatterns = {
  createdAt: new RegExp(
    [
      "(?:donat(?:ion|ed)|tip|gift(?:ed)?|order|purchased?|payment|paid|transaction|transfer|support(?:ed)?|creat(?:ed|ion)|complet(?:ed|ion)|received?|sent|submitted",
      "|submission|posted|posting|value|settled)(?:at|on|date|time|dateandtime|datetime|timestamp)$",
      "|^date(?:of)?(?:donation|payment|transaction|donated|paid|sent)$|^วันเดือนปี$|^วดป$|^เวลา(?:ที่)?(?:โดเนท|บริจาค|โอน|สร้าง|ส่ง)",
      "|^วันที่(?:และเวลา)?(?:ที่)?(?:ทำ|โอน|โดเนท|บริจาค|สร้าง|ส่ง|รับ|ได้รับ|ชำระ|จ่าย|สนับสนุน)",
    ].join(""),
  ),
  donatorName: new RegExp(
    `^${donator}(?:user|display|full|screen|nick)?name$|^(?:customer|tipper|gifter|patron|backer)$|^(?:twitch|youtube|discord|facebook|tiktok)(?:user|display)?name$|^ชื่อที่(?:ใช้|ให้|แสดง|ต้องการ|อยาก)`,
  ),
  message: new RegExp(
    `^(?:public|private|personal|tip|donation|support|user|${donator})(?:message|comment|note|text)$|^ข้อความ(?:ถึง|จาก|ฝาก|ที่|ผู้|คน|โดเนท|บริจาค)`,
  ),
  timeOfDay:
    /^(?:donation|payment|tip|order|transfer|local|sent|received|created)time$|^timeof(?:donation|payment)$|^เวลา(?:ที่)?(?:โดเนท|บริจาค|โอน|สร้าง|ส่ง|รับ|ชำระ)/,
  // These change how an amount or a time is read.
  currency: /currency|สกุลเงิน|^unit$|^หน่วย$/,
  timeZone: /timezone|utcoffset|gmtoffset|เขตเวลา|โซนเวลา/,
};

/** The columns that tell our own export, in English and Thai. */
export const ownNames = {
  idempotencyKey: ["idempotencykey", "คีย์กันซ้ำ"],
  donationId: ["donationid", "รหัสโดเนท"],
} as const;
