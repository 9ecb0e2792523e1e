<?php

/** Sends mail to the address of the argument by the host names of providers: with Symfony's mailer and with ext-curl. */

declare(strict_types=1);

use Symfony\Component\HttpClient\HttpClient;
use Symfony\Component\Mailer\Bridge\Sendgrid\Transport\SendgridTransportFactory;
use Symfony\Component\Mailer\Transport\Dsn;
use Symfony\Component\Mime\Email;

foreach (['HttpClient', 'Mailer', 'Mailer/Bridge/Sendgrid', 'Mime'] as $component) {
    require_once "/usr/share/php/Symfony/Component/$component/autoload.php";
}

$to = $argv[1];
$transport = (new SendgridTransportFactory(null, HttpClient::create()))->create(Dsn::fromString('sendgrid+api://any@default'));
$transport->send((new Email())->from('a@shop.example')->to($to)->subject('PHP SDK')->text('x'));

$curl = curl_init('https://api.resend.com/emails');
curl_setopt_array($curl, [
    CURLOPT_RETURNTRANSFER => true,
    CURLOPT_HTTPHEADER => ['Authorization: Bearer re_any', 'Content-Type: application/json'],
    CURLOPT_POSTFIELDS => json_encode(['from' => 'a@shop.example', 'to' => $to, 'subject' => 'PHP HTTP client', 'text' => 'x']),
]);
echo curl_exec($curl) === false ? curl_error($curl) : curl_getinfo($curl, CURLINFO_RESPONSE_CODE), "\n";
