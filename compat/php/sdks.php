<?php
/*
 * Mail and SMS that applications send with the bridges of Symfony to providers, from Debian, as published. Writes a line for
 * each scenario to SDK_REPORT; compat/sdks/record.ts verifies the messages. The hosts are those of the providers, which the proxy
 * of `restante env --proxy` leads to the service.
 */

use AsyncAws\Ses\SesClient;
use AsyncAws\Sns\SnsClient;
use Symfony\Component\HttpClient\HttpClient;
use Symfony\Component\Mailer\Bridge;
use Symfony\Component\Mailer\Transport;
use Symfony\Component\Mime\Email;
use Symfony\Component\Notifier\Bridge as Sms;
use Symfony\Component\Notifier\Message\SmsMessage;
use Symfony\Component\Notifier\Transport as SmsTransport;

if (!is_file('/usr/share/php/Symfony/Component/Notifier/Bridge/AmazonSns/autoload.php')) {
    exit;
}
foreach (['Mailer', 'Notifier', 'HttpClient'] as $component) {
    require_once "/usr/share/php/Symfony/Component/$component/autoload.php";
}
foreach (['Mailgun', 'Mailjet', 'Postmark', 'Sendgrid', 'Sendinblue', 'Amazon'] as $bridge) {
    require_once "/usr/share/php/Symfony/Component/Mailer/Bridge/$bridge/autoload.php";
}
foreach (['Twilio', 'Vonage', 'AmazonSns'] as $bridge) {
    require_once "/usr/share/php/Symfony/Component/Notifier/Bridge/$bridge/autoload.php";
}

$key = getenv('RESTANTE_API_KEY');
$content = implode('', array_map('chr', range(0, 255)));
$image = '<p>Hello</p><img src="cid:logo" alt="">';

function to(string $provider, string $scenario): string
{
    return str_replace(' ', '-', $provider)."-$scenario@".getenv('RESTANTE_SERVER').'.example';
}

function run(string $provider, string $package, array $scenarios): void
{
    $version = preg_replace('/\+.*|-.*/', '', trim((string) shell_exec("dpkg-query -W -f '\${Version}' $package")));
    foreach ($scenarios as $scenario => $send) {
        $line = ['provider' => $provider, 'sdk' => "$package $version", 'scenario' => $scenario];
        try {
            $send();
        } catch (Throwable $error) {
            $line['error'] = substr(get_class($error).': '.$error->getMessage(), 0, 300);
        }
        file_put_contents(getenv('SDK_REPORT'), json_encode($line, JSON_INVALID_UTF8_SUBSTITUTE)."\n", FILE_APPEND);
    }
}

function mail_to(string $provider, string $scenario): Email
{
    return (new Email())->from('app@shop.example')->to(to($provider, $scenario))->subject('Hello')->html('<p>482913</p>');
}

/** The same scenarios for each bridge; Symfony has neither batches nor templates of providers. */
$bridges = [
    'mailgun' => ['php-symfony-mailgun-mailer', "mailgun+api://$key:shop.example@default"],
    'mailjet' => ['php-symfony-mailjet-mailer', "mailjet+api://any:$key@default"],
    'postmark' => ['php-symfony-postmark-mailer', "postmark+api://$key@default"],
    'sendgrid' => ['php-symfony-sendgrid-mailer', "sendgrid+api://$key@default"],
    'ses' => ['php-symfony-amazon-mailer', "ses+api://$key:not-checked@default?region=eu-west-1"],
];
$tooMany = array_map(fn (int $number) => "a$number@shop.example", range(1, 1001));
foreach ($bridges as $provider => [$package, $dsn]) {
    $transport = Transport::fromDsn($dsn);
    run($provider, $package, [
        'attachment' => fn () => $transport->send(mail_to($provider, 'attachment')->attach($content, 'all.txt', 'text/plain')),
        'inline' => fn () => $transport->send(mail_to($provider, 'inline')->html($image)->embed($content, 'logo', 'image/png')),
        'error' => fn () => $transport->send(mail_to($provider, 'error')->to(...$tooMany)),
    ]);
}

$brevo = Transport::fromDsn("sendinblue+api://$key@default");
run('brevo', 'php-symfony-sendinblue-mailer', [
    'attachment' => fn () => $brevo->send(mail_to('brevo', 'attachment')->attach($content, 'all.txt', 'text/plain')),
]);

$sms = [
    'twilio' => ['php-symfony-twilio-notifier', "twilio://AC00000000000000000000000000000000:$key@default?from=%2B15550101"],
    'vonage' => ['php-symfony-vonage-notifier', "vonage://any:$key@default?from=Shop"],
    'sns' => ['php-symfony-amazon-sns-notifier', "sns://$key:not-checked@default?region=eu-west-1"],
];
foreach ($sms as $provider => [$package, $dsn]) {
    $transport = SmsTransport::fromDsn($dsn);
    run($provider, $package, [
        'sms' => fn () => $transport->send(new SmsMessage('+15550100', "Your code is 482913, $provider")),
        'error' => fn () => $transport->send(new SmsMessage('+1', 'x')),
    ]);
}
