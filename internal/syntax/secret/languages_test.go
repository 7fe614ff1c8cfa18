package secret_test

import (
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/internal/syntax/secret"
)

// Names of secrets are known in many languages and spellings.
func TestNamesInManyLanguages(t *testing.T) {
	for name := range strings.FieldsSeq(`password Passwort kennwort passwd userPassword user_password pwd pass pin pinCode cvv cardNumber clientSecret
		client_secret apiKey api-key accessToken refreshToken bearer authorization privateKey sessionId otp mfaCode contraseña contrasena mot_de_passe
		motDePasse пароль парола пароли 密码 登录密码 用户密码 パスワード 비밀번호 senha wachtwoord ssn passphrase seedPhrase cookie geheim lösenord losenord hasło HASŁO
		heslo şifre jelszó salasana lozinka лозинка geslo κωδικός_πρόσβασης סיסמה كلمة_المرور رمز_عبور पासवर्ड পাসওয়ার্ড รหัสผ่าน mật_khẩu kata_sandi nenosiri
		adgangskode passord lykilorð 验证码 code_de_vérification códigoDeVerificação creditCard card_number2 новый_пароль neues.Passwort pаssword`) {
		if !secret.Names(name) {
			t.Errorf("%s is no secret", name)
		}
	}
}

// Names that only resemble those of secrets stay readable.
func TestHarmlessNamesStayReadable(t *testing.T) {
	harmless := strings.Fields(`max_tokens token_count passenger author pin_code_area pinned secretary keyboard tokenizer passport_country compass spin authorName
		keywords monkey password_policy passwordless bypass cookiePolicy cookie_banner fortune_cookie トークン数 令牌数量 max_토큰 password_strength passage parola parole parola_chiave clave_producto
		kodeks heslovitý kennung passwortlos Kartennummernkreis numer telefon kod_pocztowy postcode code country_code currency_code cardholder card_type
		сообщение ключевое_слово номер 编号 页码 番号 코드 รหัสสินค้า codice_fiscale cap`)
	if len(harmless) < 40 {
		t.Fatal(len(harmless))
	}
	for _, name := range harmless {
		if secret.Names(name) {
			t.Errorf("%s is a secret", name)
		}
	}
}

// A question that asks for a secret is known in many languages; others are not refused.
func TestQuestionsThatAskForASecret(t *testing.T) {
	for _, text := range []string{
		"Enter the 6-digit code we sent by SMS", "2FA code from your authenticator", "mother's maiden name", "p a s s w o r d", "Your P.A.S.S.W.O.R.D, please", "п а р о л ь", "bank account login", "Your login details", "Open this domain? Enter the 6-digit code", "Geben Sie den 6-stelligen Code ein", "Saisissez le code à 6 chiffres", "Introduzca el código de 6 dígitos", "Inserisci il codice a 6 cifre", "Введите код из 6 цифр", "Podaj 6-cyfrowy kod", "6 haneli kodu girin", "请输入6位数的代码", "6桁のコードを入力", "6자리 코드를 입력하세요", "Ihre Zugangsdaten", "Vos identifiants de connexion", "登录信息", "Vul uw inloggegevens in", "Enter the SMS code", "Please type the code from the text message code we sent", "Your one-time code", "Bitte geben Sie Ihr Kennwort ein", "Saisissez votre mot de passe", "Introduzca su contraseña",
		"Введите пароль", "请输入密码", "パスワードを入力してください", "비밀번호를 입력하세요", "Type your recovery words", "Your card number, please", "Enter your pаssword", "Wachtwoord:",
		"Digite sua senha", "Podaj hasło", "Zadejte heslo", "Şifrenizi girin", "Anna salasanasi", "Add meg a jelszavad", "Unesite lozinku", "Ievadiet paroli", "Įveskite slaptažodį", "Въведете паролата", "Introduceți parola", "Skriv inn passordet ditt", "Ange lösenordet", "Sláðu inn lykilorðið", "Εισάγετε τον κωδικό πρόσβασης", "הזן את הסיסמה", "Введите код из SMS", "Ange ditt lösenord", "Inserisci il codice di verifica", "กรุณาใส่รหัสผ่าน", "أدخل كلمة المرور", "Nhập mật khẩu",
	} {
		if !secret.Asks(text) {
			t.Errorf("%q asks for no secret", text)
		}
	}
	for _, text := range []string{
		"How many sacks?", "Inserisci una parola chiave", "Welche Farbe?", "Quel pays ?", "Introduzca su código postal", "Какой город?", "请输入您的姓名", "住所を入力してください",
		"Choose a cookie", "Your 5-digit ZIP code", "Enter the product code (8 digits)", "A 4-digit year", "Which login name do you use?", "Plan A, B, C or D?", "Option a b c?", "Code postal (5 chiffres)", "How many digits?", "Which bearer of the ring?", "암호화 방식", "Pay by credit card?", "Which passenger?", "Country code", "Choisissez la parole du jour",
	} {
		if secret.Asks(text) {
			t.Errorf("%q asks for a secret", text)
		}
	}
}
